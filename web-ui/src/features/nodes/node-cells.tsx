// SPDX-License-Identifier: MIT
// The pieces of a node that the farm's table and its cards both show.

import { Link } from '@tanstack/react-router'
import { CordonedBadge } from '../../components/cordoned-badge.tsx'
import { Digest } from '../../components/digest.tsx'
import { Quantity } from '../../components/quantity.tsx'
import { MarkedText, StatusBadge, type Verdict } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { ConfigIdentity, Node } from '../../lib/api-types.ts'
import { formatRatio } from '../../lib/format.ts'
import classes from './farm-screen.module.css'
import { channelVerdict } from './identity/identity-rules.ts'
import { clientErrorRatio, digestsToShow, notFoundRatio, syncVerdict } from './rules.ts'

/** Whether it is as it should be, whether rollouts may make it so, and how the last one failed if it did. */
export function States({ node }: { node: Pick<Node, 'sync' | 'cordon' | 'lastResult'> }) {
  const { sync, cordon, lastResult } = node
  return (
    <span className="row">
      <StatusBadge verdict={syncVerdict[sync.state]} />
      {cordon !== null && <CordonedBadge />}
      {lastResult !== null && lastResult.outcome !== 'applied' && (
        <LastFailure result={lastResult} />
      )}
    </span>
  )
}

export function Labels({ labels }: { labels: Node['labels'] }) {
  const entries = Object.entries(labels)
  if (entries.length === 0) return <span className="dim">–</span>
  return (
    <ul className={classes.labels} aria-label={t('Labels')}>
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

/** The version when desired, acknowledged and effective agree; else all three, by name, with their digests. */
export function Identities({ sync }: { sync: Node['sync'] }) {
  const shown = digestsToShow(sync)
  const [agreed, ...others] = shown
  if (others.length === 0 && agreed?.identity) return <VersionLink identity={agreed.identity} />
  return (
    <div className={classes.identities}>
      {shown.map(({ name, identity }) => (
        <div key={name} className={classes.identity}>
          <span className="dim">{name}</span>
          {identity === null ? (
            <span className={`dim ${classes.none}`}>{t('none')}</span>
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
  if (identity.version === null) return <span className="dim">{t('unsaved')}</span>
  const { config, number } = identity.version
  return (
    <Link to="/configs/$name/versions/$number" params={{ name: config, number }} className="nowrap">
      {config}
      {' v'}
      {number}
    </Link>
  )
}

export const outcomeVerdict = {
  applied: { label: t('Applied'), tone: 'good', shape: 'disc' },
  reverted: { label: t('Went back'), tone: 'bad', shape: 'diamond' },
  stuck: { label: t('Stuck'), tone: 'bad', shape: 'triangle' },
  refused: { label: t('Refused'), tone: 'bad', shape: 'square' },
} satisfies Record<NonNullable<Node['lastResult']>['outcome'], Verdict>

function LastFailure({ result }: { result: NonNullable<Node['lastResult']> }) {
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
        // Said without a mark: its state beside it is of a node that is heard.
        <span className="dim">{t('Connected')}</span>
      ) : (
        <MarkedText verdict={away}>
          {node.lastSeenAt === null ? t('Never connected') : <TimeAgo at={node.lastSeenAt} />}
        </MarkedText>
      )}
      {!isProven && <Unproven identity={node.identity} />}
      {node.clone?.keep === null && <MarkedText verdict={cloned}>{t('Cloned')}</MarkedText>}
    </div>
  )
}

const unproven = { good: t('Plain HTTP'), expired: t('Expired'), revoked: t('Revoked') }

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
      <Quantity of={clientErrorRatio(node)} as={formatRatio} />
      {notFound !== null && (
        <span className="dim">
          {' (404: '}
          {formatRatio(notFound)})
        </span>
      )}
    </>
  )
}
