// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { Quantity } from '../../components/quantity.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { useRowsInWindow } from '../../hooks/use-rows-in-window.ts'
import { t } from '../../languages/t.ts'
import type { Node } from '../../lib/api-types.ts'
import { formatRate, formatRatio, formatSeconds } from '../../lib/format.ts'
import { SelectBox, type Selecting } from './bulk/select-boxes.tsx'
import type { FarmRow } from './farm-rows.ts'
import classes from './farm-screen.module.css'
import { ClientErrors, Identities, Labels, LastSeen, States, Urls } from './node-cells.tsx'
import { errorRatio, whyNoLatency } from './rules.ts'
import type { FarmRows } from './use-farm-rows.ts'

/** About as high as a card is. */
const CARD_PX = 225

export type NodeCardsProps = {
  rows: readonly FarmRow[]
  p99: ReadonlyMap<string, readonly (number | null)[]>
  onDrawn: FarmRows['onDrawn']
  selecting: Selecting | null
}

/** The farm's table for a narrow screen: the same facts, a node below the other. */
export function NodeCards({ rows, p99, onDrawn, selecting }: NodeCardsProps) {
  const { setList, measure, shown, before, after } = useRowsInWindow(rows, {
    ...{ rowPx: CARD_PX, onDrawn },
  })
  return (
    <ul ref={setList} className={classes.cards} aria-label={t('Nodes')}>
      <Room px={before} />
      {shown.map(({ row: { id, node }, index, gap }) => (
        <Fragment key={id}>
          <Room px={gap} />
          <li
            ref={measure}
            data-index={index}
            aria-setsize={rows.length}
            aria-posinset={index + 1}
            // Its card will be about as high, so that little moves when it is there.
            style={node === null ? { height: CARD_PX } : undefined}
          >
            {node === null ? (
              <span className="dim">{t('Reading…')}</span>
            ) : (
              <Card node={node} p99={p99} selecting={selecting} />
            )}
          </li>
        </Fragment>
      ))}
      <Room px={after} />
    </ul>
  )
}

type CardProps = Pick<NodeCardsProps, 'p99' | 'selecting'> & { node: Node }

function Card({ node, p99, selecting }: CardProps) {
  return (
    <>
      <div className={classes.cardHead}>
        {selecting && <SelectBox {...selecting} node={node} />}
        <Link to="/nodes/$id" params={{ id: node.id }} className={classes.name ?? ''}>
          {node.name}
        </Link>
        <States node={node} />
      </div>
      <div className={classes.cardHead}>
        <Identities sync={node.sync} />
        <Sparkline values={p99.get(node.id) ?? []} className={classes.spark} />
      </div>
      <dl className={classes.numbers}>
        <Figure name="p50" value={<Quantity of={node.latency.p50Seconds} as={formatSeconds} />} />
        <Figure name="p99" value={<Quantity of={node.latency.p99Seconds} as={formatSeconds} />} />
        <Figure
          name={t('Requests/s')}
          value={<Quantity of={node.latency.requestsPerSecond} as={formatRate} />}
        />
        <Figure name="4xx" value={<ClientErrors node={node} />} />
        <Figure name="5xx" value={<Quantity of={errorRatio(node)} as={formatRatio} />} />
      </dl>
      <div className="dim">
        {whyNoLatency(node) ??
          t('{requests, plural, one {# request} other {# requests}}', {
            requests: node.latency.requests,
          })}
      </div>
      <LastSeen node={node} />
      <Urls urls={node.urls} />
      {Object.keys(node.labels).length > 0 && <Labels labels={node.labels} />}
    </>
  )
}

/** Of the cards that are not drawn. */
function Room({ px }: { px: number }) {
  return px > 0 && <li aria-hidden="true" style={{ height: px, padding: 0 }} />
}

function Figure({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
