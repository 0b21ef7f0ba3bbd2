// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { ConfigErrors } from '../../components/config-errors.tsx'
import { Digest } from '../../components/digest.tsx'
import { Figures } from '../../components/figures.tsx'
import { Quantity } from '../../components/quantity.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Node, Session } from '../../lib/api-types.ts'
import { formatRate, formatRatio, formatSeconds } from '../../lib/format.ts'
import { measureLabel, unitOf } from '../../lib/measures.ts'
import { ownWords } from '../../lib/own-words.ts'
import { forPeople } from '../../lib/people-words.ts'
import { outcomeVerdict, VersionLink } from './node-cells.tsx'
import classes from './node-screen.module.css'
import { clientErrorRatio, errorRatio, syncVerdict, whyNoLatency } from './rules.ts'
import { WayBack } from './way-back.tsx'

/** What one reads first, and from afar. */
export function NumbersPanel({ node }: { node: Node }) {
  const { latency } = node
  const minutes = t('{windowSeconds} min', { windowSeconds: latency.windowSeconds / 60 })
  return (
    <section className="panel panel-body" aria-label={t('Of the last minutes')}>
      <Figures
        figures={[
          {
            name: 'p99',
            value: <Quantity of={latency.p99Seconds} as={formatSeconds} />,
            detail: `${whyNoLatency(node) ?? t('{requests, plural, one {# request} other {# requests}}', { requests: latency.requests })}, ${minutes}`,
          },
          { name: 'p50', value: <Quantity of={latency.p50Seconds} as={formatSeconds} /> },
          {
            name: t('Requests a second'),
            value: <Quantity of={latency.requestsPerSecond} as={formatRate} />,
          },
          {
            name: t('5xx answers'),
            value: <Quantity of={errorRatio(node)} as={formatRatio} />,
            tone: (errorRatio(node) ?? 0) > 0 ? 'bad' : undefined,
          },
          {
            name: t('4xx answers'),
            value: <Quantity of={clientErrorRatio(node)} as={formatRatio} />,
          },
        ]}
      />
    </section>
  )
}

export function SyncPanel({ node, session }: { node: Node; session: Session }) {
  const { sync } = node
  const rows = [
    { name: t('Desired'), identity: sync.desired },
    { name: t('Acknowledged'), identity: sync.acknowledged },
    { name: t('Effective'), identity: sync.effective },
  ]
  return (
    <section className="panel" aria-labelledby="sync-heading">
      <div className="panel-head">
        <h2 id="sync-heading">{t('Sync')}</h2>
        <span className="grow" />
        <span role="status">
          <StatusBadge verdict={syncVerdict[sync.state]} />
        </span>
        <span className="dim">
          <T text="since {since}" since={<TimeAgo at={sync.since} />} />
        </span>
      </div>
      <div className="panel-body">
        <p className={classes.reason} lang="en">
          {forPeople(sync.reason)}
        </p>
        <table className={classes.digests}>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">{t('Which')}</th>
              <th scope="col">{t('Version')}</th>
              <th scope="col">{t('Digest')}</th>
              <th scope="col">{t('Generation')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, identity }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {identity === null ? (
                  <td colSpan={3} className="dim">
                    {t('none')}
                  </td>
                ) : (
                  <>
                    <td>
                      {name === 'Effective' && sync.effectiveSource === 'local' ? (
                        t('local change')
                      ) : (
                        <VersionLink identity={identity} />
                      )}
                    </td>
                    <td>
                      <Digest value={identity.digest} />
                    </td>
                    <td className="dim">
                      {t('gen. {generation}', { generation: identity.generation })}
                    </td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        <WayBack node={node} session={session} />
      </div>
    </section>
  )
}

/** For results that say nothing more. */
const outcomeSentence: Record<NonNullable<Node['lastResult']>['outcome'], string> = {
  applied: t('It applied its config and runs it.'),
  reverted: t('It went back to the last config that was confirmed.'),
  stuck: t('It could neither apply the new config nor go back.'),
  refused: t('It refused the config and goes on with what it ran.'),
}

export function ResultPanel({ node: { lastResult, sync } }: { node: Node }) {
  const config = sync.desired?.version?.config ?? null
  return (
    <section className="panel" aria-labelledby="result-heading">
      <div className="panel-head">
        <h2 id="result-heading">{t('Last result')}</h2>
        <span className="grow" />
        {lastResult !== null && <StatusBadge verdict={outcomeVerdict[lastResult.outcome]} />}
      </div>
      <div className="panel-body stack-tight">
        {lastResult === null ? (
          <p className="dim">{t('It has not been asked to apply anything yet.')}</p>
        ) : (
          <>
            <p>
              {ownWords(lastResult.message, lastResult.errors) ||
                outcomeSentence[lastResult.outcome]}
            </p>
            {lastResult.errors.length > 0 && (
              <ConfigErrors config={config} errors={lastResult.errors} />
            )}
            <p className="row dim">
              <TimeAgo at={lastResult.at} />
              {lastResult.code !== null && <code>{lastResult.code}</code>}
              {lastResult.rolloutId !== null && (
                <Link to="/rollouts/$id" params={{ id: lastResult.rolloutId }}>
                  {t('Open its rollout')}
                </Link>
              )}
            </p>
          </>
        )}
      </div>
    </section>
  )
}

export function GaugesPanel({ node }: { node: Node }) {
  const gauges = Object.entries(node.gauges)
  return (
    <section className="panel" aria-labelledby="gauges-heading">
      <div className="panel-head">
        <h2 id="gauges-heading">{t('Right now')}</h2>
        {node.lastSeenAt !== null && (
          <span className="dim">
            <T text="as reported {lastSeenAt}" lastSeenAt={<TimeAgo at={node.lastSeenAt} />} />
          </span>
        )}
      </div>
      <div className="panel-body">
        {gauges.length === 0 ? (
          <p className="dim">{t('The node has not reported any values yet.')}</p>
        ) : (
          <Figures
            size="small"
            figures={gauges.map(([name, value]) => {
              const by = `gauge:${name}`
              return { name: measureLabel(by), value: unitOf(by).format(value) }
            })}
          />
        )}
      </div>
    </section>
  )
}
