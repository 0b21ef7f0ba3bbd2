// SPDX-License-Identifier: MIT
// The nodes' own word on the version, asked for before anything is ordered.

import { useQuery } from '@tanstack/react-query'
import { ActionButton } from '../../components/action-button.tsx'
import { ConfigErrors } from '../../components/config-errors.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Preflight } from '../../lib/api-types.ts'
import { namesOf } from '../../lib/format.ts'
import { type Order, preflightQuery } from './api.ts'
import { isWorse, pathChanges, refusals, whoIsMissing } from './preflight-rules.ts'

export function PreflightPanel({ order }: { order: Order }) {
  const preflight = useQuery(preflightQuery(order))
  return (
    <section className="panel" aria-labelledby="preflight-heading">
      <div className="panel-head">
        <h2 id="preflight-heading">{t('What the nodes say')}</h2>
        <span className="grow" />
        <ActionButton
          variant="default"
          size="xs"
          blockedBy={null}
          loading={preflight.isFetching}
          onClick={() => void preflight.refetch()}
        >
          {t('Ask again')}
        </ActionButton>
      </div>
      <div className="panel-body">
        <QueryStates query={preflight} what={t('What the nodes say')} skeletonRows={2}>
          {(said) => <Said said={said} config={order.config} />}
        </QueryStates>
      </div>
    </section>
  )
}

function Said({ said, config }: { said: Preflight; config: string }) {
  const refused = refusals(said)
  const changes = pathChanges(said)
  const missing = whoIsMissing(said)
  const takes = said.nodes.filter(({ state }) => state === 'takes').length
  const samples = said.samplePaths.map(({ host = '', path }) => `${host}${path}`).join(', ')
  return (
    <div className="stack-tight">
      {takes > 0 && (
        <p>
          {t(
            '{takes, plural, one {# node checked it on its own machine and would take it.} other {# nodes checked it on their own machine and would take it.}}',
            { takes },
          )}
        </p>
      )}
      {refused.map(({ nodes, code, message, errors }) => (
        <div key={nodes.join()}>
          <StatusBadge
            verdict={{
              label: t('{nodes} would refuse it', { nodes: namesOf(nodes) }),
              tone: 'bad',
              shape: 'square',
            }}
          />{' '}
          <code>{code}</code>{' '}
          {errors.length > 0 ? <ConfigErrors config={config} errors={errors} /> : message}
        </div>
      ))}
      {changes.map((change) => (
        <div key={`${change.path} ${change.running} ${change.offered}`}>
          <StatusBadge
            verdict={{
              label: `${change.running} → ${change.offered}`,
              tone: isWorse(change) ? 'bad' : 'info',
              shape: isWorse(change) ? 'square' : 'half',
            }}
          />{' '}
          <T
            text="{path} on {nodes}"
            path={<code>{change.path}</code>}
            nodes={namesOf(change.nodes)}
          />
        </div>
      ))}
      {changes.length === 0 && takes > 0 && (
        <p className="dim">{t('Answered as now: {samples}', { samples })}</p>
      )}
      {missing !== null && <p>{t('Not known of all: {missing}', { missing })}</p>}
    </div>
  )
}
