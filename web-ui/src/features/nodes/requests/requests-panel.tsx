// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { SaveButtons } from '../../../components/chart/save-buttons.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { ButtonLink } from '../../../components/links.tsx'
import { Quantity } from '../../../components/quantity.tsx'
import { ScrollBox } from '../../../components/scroll-box.tsx'
import { t } from '../../../languages/t.ts'
import type { Node, Session } from '../../../lib/api-types.ts'
import { formatCount, formatSeconds } from '../../../lib/format.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { formatClock } from '../../../lib/time.ts'
import { liveRequestsQuery } from '../api.ts'
import { AreaFields } from './area-fields.tsx'
import { type Area, everything, isEverything, isWithin } from './area-rules.ts'
import classes from './requests.module.css'
import {
  type Live,
  type Point,
  partNames,
  parts,
  pointRows,
  reasonWords,
  slowest,
} from './rules.ts'
import { Legend, Scatter } from './scatter.tsx'

/** Single requests, live while somebody looks: a tab that is hidden asks nothing, and so ends it. */
export function RequestsPanel({ node, session }: { node: Node; session: Session }) {
  const [isLooking, setLooking] = useState(false)
  const [area, setArea] = useState(everything)
  const panel = useRef<HTMLElement>(null)
  const live = useQuery({ ...liveRequestsQuery(node.id), enabled: isLooking })
  return (
    <section className="panel" aria-labelledby="requests-heading" ref={panel}>
      <div className="panel-head">
        <h2 id="requests-heading">{t('Single requests')}</h2>
        {isLooking && (
          <span className="dim" role="status">
            {live.data === undefined ? t('Asking the node …') : states[live.data.state]}
          </span>
        )}
        {isLooking && live.data?.state === 'live' && <Shown live={live.data} />}
        <span className="grow" />
        {live.data !== undefined && (
          <SaveButtons
            label={t('Requests of {name}', { name: node.name })}
            help={t('when each began, and how long it took')}
            legend={partNames.map((part) => ({
              name: parts[part].label,
              colour: parts[part].colour,
            }))}
            rows={() => pointRows(live.data?.points.filter((one) => isWithin(one, area)) ?? [])}
            drawing={() => panel.current?.querySelector('canvas')}
          />
        )}
        <ButtonLink variant="subtle" size="xs" to="/sites/requests" search={{ node: node.id }}>
          {t('Search them')}
        </ButtonLink>
        <ActionButton
          variant="default"
          size="xs"
          blockedBy={whyNot(session, 'requests:read')}
          onClick={() => setLooking(!isLooking)}
        >
          {isLooking ? t('Stop') : t('Look live')}
        </ActionButton>
      </div>
      <div className="panel-body">
        {live.isError && isLooking && (
          <ErrorBox
            what={t('Its requests were not read')}
            error={live.error}
            onRetry={() => void live.refetch()}
          />
        )}
        {live.data === undefined ? (
          <p className="dim">
            {t(
              'While you watch, the node sends up to a hundred of its requests a second: when each began, how long it took and where the time went. Drag over some of them to see which they were.',
            )}
          </p>
        ) : (
          <>
            <Scatter live={live.data} area={area} onArea={setArea} />
            <Legend label={t('Most of its time')} />
            <AreaFields area={area} nowMs={live.data.nowMs} onArea={setArea} />
            <Within points={live.data.points} area={area} />
          </>
        )}
      </div>
    </section>
  )
}

const states: Record<Live['state'], string> = {
  live: t('Live'),
  waiting: t('Asking the node …'),
  disconnected: t('The node is not connected'),
  'too-old': t('The node’s version can’t do this'),
}

function Shown({ live }: { live: Live }) {
  return (
    <span className="dim">
      {t(
        '{points} in two minutes; {seen, plural, one {# request} other {# requests}} in the last second',
        { points: formatCount(live.points.length), seen: live.seen },
      )}
    </span>
  )
}

/** The drawing's twin: those that were chosen in it, or all, the slowest first. */
function Within({ points, area }: { points: readonly Point[]; area: Area }) {
  const isAll = isEverything(area)
  const within = isAll ? points : points.filter((point) => isWithin(point, area))
  const shown = slowest(within)
  return (
    <>
      <p className="dim" role="status">
        {!isAll && withinWords(within.length, shown.length)}
      </p>
      {(isAll || shown.length > 0) && (
        <Table points={shown} label={isAll ? t('The slowest of them') : t('The chosen requests')} />
      )}
    </>
  )
}

function withinWords(all: number, shown: number): string {
  if (all === 0) return t('None of the requests of the last two minutes is there.')
  const slowestOf =
    shown < all ? t('; the slowest {shown} are below', { shown: formatCount(shown) }) : ''
  return t(
    '{all, plural, one {# request} other {# requests}} of the last two minutes there{slowestOf}.',
    { all, slowestOf },
  )
}

function Table({ points, label }: { points: Point[]; label: string }) {
  return (
    <ScrollBox label={label}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Began')}</th>
            <th scope="col" className="num">
              {t('Took')}
            </th>
            <th scope="col">{t('Mostly')}</th>
            <th scope="col">{t('Status')}</th>
            <th scope="col">{t('Path')}</th>
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <tr key={`${point.startedAt} ${point.path} ${point.totalSeconds}`}>
              <td>{formatClock(point.atMs)}</td>
              <td className="num">
                <Quantity of={point.totalSeconds} as={formatSeconds} />
              </td>
              <td>{parts[point.part].label}</td>
              <td>
                {point.status ?? t('none')} {point.reason !== null && reasonWords(point.reason)}
              </td>
              <td className={classes.path}>
                <bdi>{point.path}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
