// SPDX-License-Identifier: MIT

import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { LongTable } from '../../../components/long-table.tsx'
import { Quantity } from '../../../components/quantity.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { Node, Session } from '../../../lib/api-types.ts'
import { formatBytes, formatCount, formatSeconds } from '../../../lib/format.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { formatClock, formatDateTime } from '../../../lib/time.ts'
import { slowRequestsQuery } from '../api.ts'
import type { NodeSearch } from '../node-search.ts'
import classes from './requests.module.css'
import { type Point, partNames, parts, pointOf, reasonWords } from './rules.ts'
import { Legend } from './scatter.tsx'
import {
  ALL_KEPT_HOURS,
  hoursBack,
  isNarrowed,
  listed,
  MOST_KEPT,
  outcomeNames,
  outcomes,
  piecesOf,
  type SlowSort,
  sortedBy,
} from './slow-rules.ts'

type Props = {
  node: Node
  session: Session
  search: NodeSearch
  onSearch: (search: NodeSearch) => void
}

/** The slow requests of the last hours, which the node reported one by one. */
export function SlowPanel(props: Props) {
  const { node, session, search, onSearch } = props
  const refusal = whyNot(session, 'requests:read')
  const hours = search.slowHours ?? ALL_KEPT_HOURS
  const slow = useQuery({ ...slowRequestsQuery(node.id, hours), enabled: refusal === null })
  const points = useMemo(() => slow.data?.items.map(pointOf) ?? [], [slow.data])
  return (
    <section className="panel" aria-labelledby="slow-heading">
      <div className="panel-head">
        <h2 id="slow-heading">{t('Slow requests')}</h2>
        {slow.data !== undefined && (
          <span className="dim" role="status">
            {t('{points, plural, one {# request} other {# requests}}, read at {dataUpdatedAt}', {
              points: points.length,
              dataUpdatedAt: formatClock(slow.dataUpdatedAt),
            })}
          </span>
        )}
        <span className="grow" />
        {refusal === null && (
          <NativeSelect
            size="xs"
            aria-label={t('How far back')}
            value={hours}
            onChange={({ currentTarget: { value } }) => {
              const chosen = hoursBack.find((one) => one === Number(value))
              const isAll = chosen === ALL_KEPT_HOURS
              onSearch({ ...search, slowHours: isAll ? undefined : chosen })
            }}
            data={hoursBack.map((one) => ({
              value: String(one),
              label: one === 1 ? t('Last hour') : t('Last {one} hours', { one }),
            }))}
          />
        )}
        <ActionButton
          variant="default"
          size="xs"
          loading={slow.isFetching}
          blockedBy={refusal}
          onClick={() => void slow.refetch()}
        >
          {t('Read again')}
        </ActionButton>
      </div>
      <p className="panel-body dim">
        <T
          text="Those that took <code>samples.slowerThanMillis</code> of the node’s config or longer: of each report the eight slowest, for {allKeptHours} hours, the newest {mostKept} at most. Paths come without their query, and <code>***</code> stands for what <code>samples.maskPaths</code> hides before it leaves the machine. Nothing says who asked."
          code={<code />}
          allKeptHours={ALL_KEPT_HOURS}
          mostKept={formatCount(MOST_KEPT)}
        />
      </p>
      {refusal === null && (
        <QueryStates query={slow} what={t('The slow requests')}>
          {() =>
            points.length === 0 ? (
              <p className="panel-body">
                {t('No request was slow in the time that is looked at.')}
              </p>
            ) : (
              <Listed node={node} points={points} search={search} onSearch={onSearch} />
            )
          }
        </QueryStates>
      )}
    </section>
  )
}

type ListedProps = Omit<Props, 'session'> & { points: readonly Point[] }

/** So many more at a time: what stands below on the page stays within reach. */
const SHOWN = 20

function Listed({ node, points, search, onSearch }: ListedProps) {
  const [most, setMost] = useState(SHOWN)
  const { slowPath, slowOutcome, slowPart, slowSort = 'began', slowAscending } = search
  const found = useMemo(
    () => listed(points, { slowPath, slowOutcome, slowPart, slowSort, slowAscending }),
    [points, slowPath, slowOutcome, slowPart, slowSort, slowAscending],
  )
  const column = (title: string, key: SlowSort, className = '') => ({
    title,
    className,
    sorting: {
      now:
        slowSort !== key ? null : slowAscending ? ('ascending' as const) : ('descending' as const),
      onSort: () => onSearch({ ...search, ...sortedBy(search, key) }),
    },
  })
  return (
    <>
      <div className={`panel-body row ${classes.filters}`}>
        <Filters search={search} onSearch={onSearch} />
        <Legend label={t('Bars')} />
      </div>
      {found.length === 0 ? (
        <p className="panel-body">
          {t('None of {points, plural, one {# request} other {# requests}} is like that.', {
            points: points.length,
          })}{' '}
          <Button
            variant="default"
            size="compact-xs"
            onClick={() =>
              onSearch({
                ...search,
                slowPath: undefined,
                slowOutcome: undefined,
                slowPart: undefined,
              })
            }
          >
            {t('Show all')}
          </Button>
        </p>
      ) : (
        <LongTable
          label={t('Slow requests of {name}', { name: node.name })}
          columns={[
            column(t('Began'), 'began'),
            column(t('Took'), 'took', 'num'),
            { title: t('What took it'), className: classes.what },
            column(t('Status'), 'status'),
            column(t('Path'), 'path'),
          ]}
          rows={found.slice(0, most)}
          keyOf={keyOf}
        >
          {(point) => <Cells point={point} />}
        </LongTable>
      )}
      {(found.length > most || isNarrowed(search)) && found.length > 0 && (
        <div className="panel-body row">
          <span className="dim">
            {t('{min} of {found} shown', {
              min: formatCount(Math.min(most, found.length)),
              found: formatCount(found.length),
            })}
            {isNarrowed(search) &&
              t(', which the filters leave of {points}', { points: formatCount(points.length) })}
          </span>
          {found.length > most && (
            <Button variant="default" size="xs" onClick={() => setMost(most + SHOWN * 5)}>
              {t('Show {min} more', { min: formatCount(Math.min(SHOWN * 5, found.length - most)) })}
            </Button>
          )}
        </div>
      )}
    </>
  )
}

/** Two of the same path, in the same microsecond, that took as long are the same to whoever looks. */
const keyOf = ({ startedAt, path, totalSeconds, bytes }: Point) =>
  `${startedAt} ${totalSeconds} ${bytes} ${path}`

type FiltersProps = Pick<Props, 'search' | 'onSearch'>

function Filters({ search, onSearch }: FiltersProps) {
  return (
    <>
      <TextInput
        size="xs"
        aria-label={t('A part of the path')}
        placeholder={t('A part of the path')}
        spellCheck={false}
        value={search.slowPath ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, slowPath: value === '' ? undefined : value })
        }
      />
      <NativeSelect
        size="xs"
        aria-label={t('How it ended')}
        value={search.slowOutcome ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, slowOutcome: outcomeNames.find((one) => one === value) })
        }
        data={[
          { value: '', label: t('Any status') },
          ...outcomeNames.map((one) => ({ value: one, label: outcomes[one].label })),
        ]}
      />
      <NativeSelect
        size="xs"
        aria-label={t('What took most of its time')}
        value={search.slowPart ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, slowPart: partNames.find((one) => one === value) })
        }
        data={[
          { value: '', label: t('Slow by anything') },
          ...partNames.map((one) => ({
            value: one,
            label: t('Mostly: {label}', { label: parts[one].label }),
          })),
        ]}
      />
    </>
  )
}

function Cells({ point }: { point: Point }) {
  const { atMs, totalSeconds, status, reason, bytes, protocol, path } = point
  return (
    <>
      <td>
        <time dateTime={point.startedAt}>{formatDateTime(atMs)}</time>
      </td>
      <td className="num">
        <Quantity of={totalSeconds} as={formatSeconds} />
      </td>
      <td className={classes.what}>
        <StageBar point={point} />
      </td>
      <td className={classes.status}>
        {status ?? t('No response')}
        <div className="dim">
          <Quantity of={bytes} as={formatBytes} />
          {', '}
          {protocol}
          {reason !== null &&
            t('; ended early: {reasonWords}', { reasonWords: reasonWords(reason) })}
        </div>
      </td>
      <td className={classes.path}>
        {path === '' ? <span className="dim">{t('not decodable')}</span> : <bdi>{path}</bdi>}
      </td>
    </>
  )
}

/** The whole bar is the whole request; the words below say the same. */
function StageBar({ point }: { point: Point }) {
  const pieces = piecesOf(point)
  return (
    <>
      <div className={classes.bar} aria-hidden="true">
        {pieces.map(({ part, share }) => (
          <span
            key={part}
            style={{ width: `${share * 100}%`, background: `var(${parts[part].colour})` }}
          />
        ))}
      </div>
      <ul className={classes.pieces}>
        {pieces.map(({ part, words }) => (
          <li key={part}>{words}</li>
        ))}
      </ul>
    </>
  )
}
