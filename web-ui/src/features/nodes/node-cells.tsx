// SPDX-License-Identifier: MIT
// The pieces of a node that the farm's table and its cards both show.
import { Link } from '@tanstack/react-router'
import { CordonedBadge } from '../../components/cordoned-badge.tsx'
import { Digest } from '../../components/digest.tsx'
import { MarkedText, StatusBadge, type Verdict } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import type { ConfigIdentity, Node } from '../../lib/api-types.ts'
import { formatRatio } from '../../lib/format.ts'
import classes from './farm-screen.module.css'
import { channelVerdict } from './identity/identity-rules.ts'
import { clientErrorRatio, digestsToShow, notFoundRatio, syncVerdict } from './rules.ts'

/** Whether it is as it should be, and whether rollouts may make it so. */
export function States({ node }: { node: Pick<Node, 'sync' | 'cordon'> }) {
  return (
    <span className="row">
      <StatusBadge verdict={syncVerdict[node.sync.state]} />
      {node.cordon !== null && <CordonedBadge />}
    </span>
  )
}

export function Labels({ labels }: { labels: Node['labels'] }) {
  const entries = Object.entries(labels)
  if (entries.length === 0) return <span className="dim">–</span>
  return (
    <ul className={classes.labels} aria-label="Labels">
      {entries.map(([key, value]) => (
        <li key={key} className={classes.label}>
          {key}={value}
        </li>
      ))}
    </ul>
  )
}

export function Urls({ urls }: { urls: readonly string[] }) {
  if (urls.length === 0) return <span className="dim">–</span>
  return (
    <div className={classes.urls}>
      {urls.map((url) => (
        <a key={url} href={url} target="_blank" rel="noreferrer" className="mono nowrap">
          {url.replace(/^http:\/\//, '').replace(/\/$/, '')}
        </a>
      ))}
    </div>
  )
}

/** One line when desired, acknowledged and effective agree; else all three, by name. */
export function Identities({ sync }: { sync: Node['sync'] }) {
  const shown = digestsToShow(sync)
  const single = shown.length === 1
  return (
    <div className={`${classes.identities} ${single ? classes.single : ''}`}>
      {shown.map(({ name, identity }) => (
        <div key={name} className={classes.identity}>
          {!single && <span className="dim">{name}</span>}
          {identity === null ? (
            <span className={`dim ${classes.none}`}>none</span>
          ) : (
            <>
              <VersionLink identity={identity} />
              <Digest value={identity.digest} />
            </>
          )}
        </div>
      ))}
    </div>
  )
}

export function VersionLink({ identity }: { identity: ConfigIdentity }) {
  if (identity.version === null) return <span className="dim">unsaved</span>
  const { config, number } = identity.version
  return (
    <Link to="/configs/$name/versions/$number" params={{ name: config, number }}>
      {config} v{number}
    </Link>
  )
}

export const outcomeVerdict = {
  applied: { label: 'Applied', tone: 'good', shape: 'disc' },
  reverted: { label: 'Went back', tone: 'bad', shape: 'diamond' },
  stuck: { label: 'Stuck', tone: 'bad', shape: 'triangle' },
  refused: { label: 'Refused', tone: 'bad', shape: 'square' },
} satisfies Record<NonNullable<Node['lastResult']>['outcome'], Verdict>

export function LastResult({ result }: { result: Node['lastResult'] }) {
  if (result === null) return <span className="dim">none yet</span>
  const verdict = outcomeVerdict[result.outcome]
  return (
    <MarkedText verdict={verdict}>
      <span className={classes.result}>
        {verdict.label} {result.code !== null && <code>{result.code}</code>}{' '}
        <span className="dim">
          <TimeAgo at={result.at} />
        </span>
      </span>
    </MarkedText>
  )
}

const connected = { tone: 'good', shape: 'disc' } as const
const away = { tone: 'warn', shape: 'ring' } as const
const cloned = { tone: 'bad', shape: 'square' } as const

type Heard = Pick<Node, 'connected' | 'lastSeenAt' | 'identity' | 'clone'>

/** When the agent was heard, and under it what is wrong with who it says it is. */
export function LastSeen({ node }: { node: Heard }) {
  const { kind, state } = node.identity
  const isProven = kind === 'certificate' && state === 'good'
  return (
    <div className={classes.seen}>
      {node.connected ? (
        <MarkedText verdict={connected}>Connected</MarkedText>
      ) : (
        <MarkedText verdict={away}>
          {node.lastSeenAt === null ? 'Never heard' : <TimeAgo at={node.lastSeenAt} />}
        </MarkedText>
      )}
      {!isProven && <Unproven identity={node.identity} />}
      {node.clone?.keep === null && <MarkedText verdict={cloned}>Cloned</MarkedText>}
    </div>
  )
}

const unproven = { good: 'Plain HTTP', expired: 'Expired', revoked: 'Revoked' }

function Unproven({ identity }: { identity: Node['identity'] }) {
  return (
    <MarkedText verdict={channelVerdict(identity)}>
      <span className="nowrap">{unproven[identity.state]}</span>
    </MarkedText>
  )
}

/** Beside the share of 4xx that of 404 alone, where there is one. */
export function ClientErrors({ node }: { node: Node }) {
  const notFound = notFoundRatio(node)
  return (
    <>
      {formatRatio(clientErrorRatio(node))}
      {notFound !== null && <span className="dim"> (404: {formatRatio(notFound)})</span>}
    </>
  )
}
