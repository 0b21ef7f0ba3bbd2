// SPDX-License-Identifier: MIT
// Who serves a version of a release, who keeps it, and whether anybody still asks for it.
import { Facts } from '../../components/facts.tsx'
import type { ReleaseVersion } from '../../lib/api-types.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { formatDuration } from '../../lib/time.ts'

type OnNodes = ReleaseVersion['onNodes']

export function OnNodesPanel({ onNodes }: { onNodes: OnNodes }) {
  const { servedByNodes, keptByNodes, uncountedNodes } = onNodes
  return (
    <section className="panel" aria-labelledby="on-nodes-heading">
      <div className="panel-head">
        <h2 id="on-nodes-heading">On nodes</h2>
      </div>
      <div className="panel-body">
        <Facts
          facts={[
            { name: 'Served by', value: plural(servedByNodes, 'node') },
            { name: 'Kept beside another version by', value: plural(keptByNodes, 'node') },
            ...(keptByNodes > 0
              ? [{ name: 'Requests for its old files', value: <Asked {...onNodes} /> }]
              : []),
            ...(uncountedNodes > 0
              ? [
                  {
                    name: 'Not known of',
                    value: `${plural(uncountedNodes, 'node')}, away or too old`,
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
      0 in {formatDuration(quietSeconds ?? 0)}
      {requests > 0 && `, ${formatCount(requests)} before`}
      {isSafeToDrop && '; safe to drop'}
    </>
  )
}
