// SPDX-License-Identifier: MIT
// Who serves a version of a release, who keeps it, and whether anybody still asks for it.

import { Facts } from '../../components/facts.tsx'
import { t } from '../../languages/t.ts'
import type { ReleaseVersion } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'
import { formatDuration } from '../../lib/time.ts'

type OnNodes = ReleaseVersion['onNodes']

export function OnNodesPanel({ onNodes }: { onNodes: OnNodes }) {
  const { servedByNodes, keptByNodes, uncountedNodes } = onNodes
  return (
    <section className="panel" aria-labelledby="on-nodes-heading">
      <div className="panel-head">
        <h2 id="on-nodes-heading">{t('On nodes')}</h2>
      </div>
      <div className="panel-body">
        <Facts
          facts={[
            {
              name: t('Served by'),
              value: t('{servedByNodes, plural, one {# node} other {# nodes}}', { servedByNodes }),
            },
            {
              name: t('Kept beside another version by'),
              value: t('{keptByNodes, plural, one {# node} other {# nodes}}', { keptByNodes }),
            },
            ...(keptByNodes > 0
              ? [{ name: t('Requests for its old files'), value: <Asked {...onNodes} /> }]
              : []),
            ...(uncountedNodes > 0
              ? [
                  {
                    name: t('Not known of'),
                    value: t(
                      '{uncountedNodes, plural, one {# node} other {# nodes}}, away or too old',
                      { uncountedNodes },
                    ),
                  },
                ]
              : []),
          ]}
        />
      </div>
    </section>
  )
}

function Asked({ requests, quietSeconds, isSafeToDrop }: OnNodes) {
  return (
    <>
      {t('0 in {quietSeconds}', { quietSeconds: formatDuration(quietSeconds ?? 0) })}
      {requests > 0 && t(', {requests} before', { requests: formatCount(requests) })}
      {isSafeToDrop && t('; safe to drop')}
    </>
  )
}
