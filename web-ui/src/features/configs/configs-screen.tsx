// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { configsQuery } from './api.ts'

export function ConfigsScreen() {
  const configs = useQuery(configsQuery)
  return (
    <Page title="Configs">
      <div className="panel">
        <QueryStates query={configs} what="The configs">
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState title="No config yet">
                The first one comes from a file, on the control plane’s machine:{' '}
                <code>
                  admin import-config --name default --file site.jsonc --message "First version"
                </code>
              </EmptyState>
            ) : (
              <ScrollBox label="Configs, table">
                <table className="grid">
                  <thead>
                    <tr>
                      <th scope="col">Config</th>
                      <th scope="col">Latest version</th>
                      <th scope="col">Draft</th>
                      <th scope="col">Changed</th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((config) => (
                      <tr key={config.name}>
                        <td>
                          <Link to="/configs/$name" params={{ name: config.name }}>
                            <strong>{config.name}</strong>
                          </Link>
                        </td>
                        <td>
                          {config.latestVersion === null ? (
                            <span className="dim">none saved</span>
                          ) : (
                            <Link
                              to="/configs/$name/versions/$number"
                              params={{ name: config.name, number: config.latestVersion }}
                            >
                              v{config.latestVersion}
                            </Link>
                          )}
                        </td>
                        <td>{config.draftChanged ? 'Has changes not yet saved' : 'As saved'}</td>
                        <td>
                          <TimeAgo at={config.updatedAt} />
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
