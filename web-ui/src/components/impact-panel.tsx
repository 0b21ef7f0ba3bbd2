// SPDX-License-Identifier: MIT
import { Link } from '@tanstack/react-router'
import type { Impact } from '../lib/api-types.ts'
import { plural } from '../lib/format.ts'
import { impactSentence } from '../lib/impact.ts'
import { ConfigErrors } from './config-errors.tsx'
import { Notice } from './notice.tsx'

const SHOWN = 10

/** What a change would do, before it is made; `doing` is the word for making it. */
export function ImpactPanel({ impact, doing = 'Saving' }: { impact: Impact; doing?: string }) {
  const { moves, changes, invalid, unchecked } = impact
  const isQuiet = moves.total + changes.total + invalid.total === 0
  return (
    <Notice
      tone={invalid.total > 0 ? 'bad' : isQuiet ? 'info' : 'warn'}
      live
      title={`${doing}: ${impactSentence(impact)}`}
    >
      <Some of={moves}>
        {({ nodeId, nodeName, from, to }) => (
          <>
            <Node id={nodeId} name={nodeName} />: from {from} to {to}
          </>
        )}
      </Some>
      <Some of={changes}>
        {({ nodeId, nodeName, to, pointers }) => (
          <>
            <Node id={nodeId} name={nodeName} /> gets{' '}
            {to === null ? 'nothing new' : `${to.config} ${to.number}`}, different at{' '}
            {pointers.map((pointer) => pointer || 'the whole').join(', ')}
          </>
        )}
      </Some>
      <Some of={invalid}>
        {({ nodeId, nodeName, version, errors }) => (
          <>
            <Node id={nodeId} name={nodeName} /> would refuse {version.config} {version.number}:
            <ConfigErrors config={version.config} errors={errors} />
          </>
        )}
      </Some>
      {unchecked > 0 && <p>{plural(unchecked, 'text')} of nodes could not be checked.</p>}
    </Notice>
  )
}

const Node = ({ id, name }: { id: string; name: string }) => (
  <Link to="/nodes/$id" params={{ id }}>
    {name}
  </Link>
)

type SomeProps<Item> = {
  of: { total: number; items: Item[] }
  children: (item: Item) => React.ReactNode
}

function Some<Item extends { nodeId: string }>({ of, children }: SomeProps<Item>) {
  if (of.total === 0) return null
  const shown = of.items.slice(0, SHOWN)
  return (
    <ul>
      {shown.map((item) => (
        <li key={item.nodeId}>{children(item)}</li>
      ))}
      {of.total > shown.length && <li className="dim">and {of.total - shown.length} more</li>}
    </ul>
  )
}
