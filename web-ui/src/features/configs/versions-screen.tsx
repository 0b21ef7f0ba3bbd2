// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Digest } from '../../components/digest.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import type { VersionSummary } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { versionsQuery } from './api.ts'
import { ConfigTabs } from './config-tabs.tsx'

export function VersionsScreen({ name }: { name: string }) {
  const versions = useQuery(versionsQuery(name))
  return (
    <Page title={name} meta="Every version that was ever saved; none of them changes">
      <ConfigTabs name={name} />
      <div className="panel">
        <QueryStates query={versions} what="The versions" skeletonRows={5}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState title="No version yet">
                <Link to="/configs/$name" params={{ name }}>
                  Open the editor
                </Link>{' '}
                and save the first one.
              </EmptyState>
            ) : (
              <div className="scroll-x">
                <table className="grid">
                  <thead>
                    <tr>
                      <th scope="col">Version</th>
                      <th scope="col">Message</th>
                      <th scope="col" className="wide-only">
                        Author
                      </th>
                      <th scope="col">Saved</th>
                      <th scope="col" className="wide-only">
                        Digest
                      </th>
                      <th scope="col">Runs on</th>
                      <th scope="col" className="wide-only">
                        Compare
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((version) => (
                      <VersionRow key={version.number} version={version} />
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </QueryStates>
      </div>
    </Page>
  )
}

function VersionRow({ version }: { version: VersionSummary }) {
  const { config: name, number, parent } = version
  return (
    <tr>
      <td>
        <Link to="/configs/$name/versions/$number" params={{ name, number }}>
          <strong>v{number}</strong>
        </Link>
      </td>
      <td>{version.message}</td>
      <td className="nowrap wide-only">
        {version.author}{' '}
        {version.source !== 'ui' && <span className="dim">({version.source})</span>}
      </td>
      <td>
        <TimeAgo at={version.createdAt} />
      </td>
      <td className="wide-only">
        <Digest value={version.digest} />
      </td>
      <td className="nowrap">
        {version.nodes === 0 ? <span className="dim">no node</span> : plural(version.nodes, 'node')}
      </td>
      <td className="wide-only">
        {parent === null ? (
          <span className="dim">the first</span>
        ) : (
          <Link
            to="/configs/$name/compare"
            params={{ name }}
            search={{ from: parent, to: number }}
            className="nowrap"
          >
            with v{parent}
          </Link>
        )}
      </td>
    </tr>
  )
}
