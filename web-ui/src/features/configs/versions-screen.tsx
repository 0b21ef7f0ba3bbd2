// SPDX-License-Identifier: MIT
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Digest } from '../../components/digest.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import type { VersionSummary } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { versionsQuery } from './api.ts'
import { ConfigTabs } from './config-tabs.tsx'
import classes from './configs.module.css'
import { sources, type VersionsSearch } from './search.ts'

export type VersionsScreenProps = {
  name: string
  search: VersionsSearch
  onSearch: (search: VersionsSearch) => void
}

const TYPING_MS = 250

export function VersionsScreen({ name, search, onSearch }: VersionsScreenProps) {
  const [asked] = useDebouncedValue(search, TYPING_MS)
  const versions = useQuery({ ...versionsQuery(name, asked), placeholderData: keepPreviousData })
  const isFiltered = Object.values(asked).some((value) => value !== undefined)
  return (
    <Page title={name} meta="Every version that was ever saved; none of them changes">
      <ConfigTabs name={name} />
      <div className="panel">
        <VersionFilters search={search} onSearch={onSearch} />
        <QueryStates query={versions} what="The versions" skeletonRows={5}>
          {({ items }) =>
            items.length === 0 && isFiltered ? (
              <EmptyState title="No version fits">
                <Button size="xs" variant="default" onClick={() => onSearch({})}>
                  Show all versions
                </Button>
              </EmptyState>
            ) : items.length === 0 ? (
              <EmptyState title="No version yet">
                <Link to="/configs/$name" params={{ name }}>
                  Open the editor
                </Link>{' '}
                and save the first one.
              </EmptyState>
            ) : (
              <ScrollBox label="Versions, table">
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
              </ScrollBox>
            )
          }
        </QueryStates>
      </div>
    </Page>
  )
}

function VersionFilters({ search, onSearch }: Omit<VersionsScreenProps, 'name'>) {
  return (
    <div className={classes.compareBar}>
      <TextInput
        size="xs"
        label="Message has"
        value={search.q ?? ''}
        onChange={(event) => onSearch({ ...search, q: event.currentTarget.value || undefined })}
      />
      <TextInput
        size="xs"
        label="Author"
        value={search.author ?? ''}
        onChange={(event) =>
          onSearch({ ...search, author: event.currentTarget.value || undefined })
        }
      />
      <NativeSelect
        size="xs"
        label="Source"
        value={search.source ?? ''}
        data={[{ value: '', label: 'any' }, ...sources]}
        onChange={(event) =>
          onSearch({ ...search, source: sources.find((one) => one === event.currentTarget.value) })
        }
      />
    </div>
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
