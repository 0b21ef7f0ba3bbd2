// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { t } from '../languages/t.ts'
import type { Impact } from '../lib/api-types.ts'
import { impactSentence } from '../lib/impact.ts'
import { ConfigErrors } from './config-errors.tsx'
import classes from './impact-panel.module.css'
import { Notice } from './notice.tsx'

const SHOWN = 10

type ImpactPanelProps = { impact: Impact; doing?: string }

/** What a change would do, before it is made; `doing` is the word for making it. */
export function ImpactPanel({ impact, doing = t('Saving') }: ImpactPanelProps) {
  const { moves, changes, invalid, forgets, unchecked } = impact
  const isBad = invalid.total + forgets.total > 0
  const isQuiet = !isBad && moves.total + changes.total === 0
  return (
    <Notice
      tone={isBad ? 'bad' : isQuiet ? 'info' : 'warn'}
      live
      title={`${doing}: ${impactSentence(impact)}`}
    >
      <Some of={moves} alike={({ from, to }) => [from, to]}>
        {({ from, to }) => t('from {from} to {to}', { from, to })}
      </Some>
      <Some of={changes} alike={({ to, pointers }) => [to, pointers]}>
        {({ to, toDigest, pointers }) => whatComes(to, toDigest, pointers)}
      </Some>
      <Some of={invalid} alike={({ version, errors }) => [version, errors]}>
        {({ version, errors }) => (
          <>
            {t('would refuse {config} {number}', {
              config: version.config,
              number: version.number,
            })}
            <ConfigErrors config={version.config} errors={errors} />
          </>
        )}
      </Some>
      <Some of={forgets} alike={({ by, afterHours }) => [by, afterHours]}>
        {({ by, afterHours }) =>
          by === 'group'
            ? t(
                'away for more than {afterHours, plural, one {# hour} other {# hours}}, so its group removes it from the farm; it must join again to come back',
                { afterHours },
              )
            : t(
                'away for more than {afterHours, plural, one {# hour} other {# hours}}, so its token removes it from the farm; it must join again to come back',
                { afterHours },
              )
        }
      </Some>
      {unchecked > 0 && (
        <p>
          {t('{unchecked, plural, one {# text} other {# texts}} of nodes could not be checked.', {
            unchecked,
          })}
        </p>
      )}
    </Notice>
  )
}

type Change = Impact['changes']['items'][number]

function whatComes(to: Change['to'], digest: Change['toDigest'], pointers: Change['pointers']) {
  if (to === null) return t('nothing new')
  const version = `${to.config} v${to.number}`
  if (digest === null) return t('no config can be made from {version}', { version })
  return t('{version}, different at {pointers}', {
    version,
    pointers: pointers.map((pointer) => pointer || t('the whole')).join(', '),
  })
}

type Who = { nodeId: string; nodeName: string }
type SomeProps<Item> = {
  of: { total: number; items: Item[] }
  /** What nodes have in common that are named together. */
  alike: (item: Item) => unknown
  children: (item: Item) => React.ReactNode
}

function Some<Item extends Who>({ of: { total, items }, alike, children }: SomeProps<Item>) {
  if (total === 0) return null
  const shown = items.slice(0, SHOWN)
  const together = Map.groupBy(shown, (item) => JSON.stringify(alike(item)))
  return (
    <ul className="bullets">
      {[...together].map(([key, [first, ...others]]) =>
        first === undefined ? null : (
          <li key={key}>
            <Names nodes={[first, ...others]} />
            {': '}
            {children(first)}
          </li>
        ),
      )}
      {total > shown.length && (
        <li className="dim">{t('and {total} more', { total: total - shown.length })}</li>
      )}
    </ul>
  )
}

const Names = ({ nodes }: { nodes: Who[] }) =>
  nodes.map(({ nodeId, nodeName }, i) => (
    <Fragment key={nodeId}>
      {i > 0 && ', '}
      <Link className={classes.node} to="/nodes/$id" params={{ id: nodeId }}>
        {nodeName}
      </Link>
    </Fragment>
  ))
