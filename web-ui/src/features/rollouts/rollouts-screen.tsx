// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import type { RolloutSummary } from '../../lib/api-types.ts'
import { formatDuration } from '../../lib/time.ts'
import { rolloutsQuery } from './api.ts'
import { rolloutVerdict } from './rules.ts'

export function RolloutsScreen() {
  const rollouts = useQuery(rolloutsQuery)
  return (
    <Page title="Rollouts">
      <div className="panel">
        <QueryStates query={rollouts} what="The rollouts" skeletonRows={5}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState title="Nothing has been rolled out yet">
                A rollout brings a saved version to the nodes.{' '}
                <Link to="/configs">Open a config</Link>, save a version and plan its rollout.
              </EmptyState>
            ) : (
              <ScrollBox label="Rollouts, table">
                <table className="grid">
                  <thead>
                    <tr>
                      <th scope="col">Release</th>
                      <th scope="col">State</th>
                      <th scope="col" className="num wide-only">
                        Nodes done
                      </th>
                      <th scope="col" className="wide-only">
                        Message
                      </th>
                      <th scope="col" className="wide-only">
                        By
                      </th>
                      <th scope="col">Ordered</th>
                      <th scope="col" className="wide-only">
                        Took
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((rollout) => (
                      <tr key={rollout.id}>
                        <td className="nowrap">
                          <Link to="/rollouts/$id" params={{ id: rollout.id }}>
                            <strong>
                              {rollout.config} v{rollout.version}
                            </strong>
                          </Link>
                        </td>
                        <td>
                          <StatusBadge verdict={rolloutVerdict[rollout.state]} />
                        </td>
                        <td className="num wide-only">
                          {rollout.doneNodes} of {rollout.totalNodes}
                        </td>
                        <td className="wide-only">
                          {rollout.message || <span className="dim">–</span>}
                        </td>
                        <td className="wide-only">{rollout.author}</td>
                        <td>
                          <TimeAgo at={rollout.createdAt} />
                        </td>
                        <td className="nowrap wide-only">
                          <Took rollout={rollout} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </ScrollBox>
            )
          }
        </QueryStates>
      </div>
    </Page>
  )
}

function Took({ rollout: { startedAt, endedAt } }: { rollout: RolloutSummary }) {
  if (startedAt === null) return <span className="dim">not begun</span>
  if (endedAt === null) return <span className="dim">under way</span>
  return formatDuration((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)
}
