// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import type { CertificateConfig } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { givingQuery } from './api.ts'

/** The configs that bring it to nodes, and the way on to those that lag behind. */
export function GivingPanel({ name }: { name: string }) {
  const giving = useQuery(givingQuery(name))
  return (
    <section className="panel" aria-labelledby="giving-heading">
      <div className="panel-head">
        <h2 id="giving-heading">What brings it to nodes</h2>
      </div>
      <QueryStates query={giving} what="What brings it to nodes" skeletonRows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title="No config does">
              Name it in a config and roll that out: nodes serve it from then on.
            </EmptyState>
          ) : (
            <>
              {items.some(({ behind }) => behind > 0) && (
                <Notice tone="warn" title="Nodes still have an older version of it">
                  Roll the same version of the config out once more: it brings the newest one.
                </Notice>
              )}
              <Table giving={items} />
            </>
          )
        }
      </QueryStates>
    </section>
  )
}

function Table({ giving }: { giving: CertificateConfig[] }) {
  return (
    <ScrollBox label="What brings it to nodes, table">
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">Config</th>
            <th scope="col">Nodes</th>
            <th scope="col">With an older version of it</th>
          </tr>
        </thead>
        <tbody>
          {giving.map(({ config, version, nodes, behind }) => (
            <tr key={`${config} ${version}`}>
              <td>
                <Link
                  to="/configs/$name/versions/$number"
                  params={{ name: config, number: version }}
                >
                  {config} version {version}
                </Link>
              </td>
              <td className="nowrap">{plural(nodes, 'node')}</td>
              <td>
                {behind === 0 ? (
                  <span className="dim">none</span>
                ) : (
                  <>
                    {plural(behind, 'node')}:{' '}
                    <Link to="/rollouts/new" search={{ config, version }}>
                      plan the rollout
                    </Link>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
