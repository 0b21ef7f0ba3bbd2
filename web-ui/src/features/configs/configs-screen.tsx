// SPDX-License-Identifier: MIT
import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import type { Config } from '../../lib/api-types.ts'
import { configsQuery } from './api.ts'

const TYPING_MS = 250

export function ConfigsScreen() {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS)
  const configs = useInfiniteQuery({ ...configsQuery(q), placeholderData: keepPreviousData })
  return (
    <Page title="Configs">
      <div className="panel">
        <div className="panel-head">
          <TextInput
            aria-label="Find by name"
            placeholder="Name"
            size="xs"
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            spellCheck={false}
          />
        </div>
        <QueryStates query={configs} what="The configs">
          {({ pages }) => {
            const known = pages.flatMap(({ items }) => items)
            if (known.length > 0) return <Configs known={known} hasMore={configs.hasNextPage} />
            return q === '' ? (
              <NoConfig />
            ) : (
              <EmptyState title="None of that name">Look for a part of it.</EmptyState>
            )
          }}
        </QueryStates>
        <NextPage of={configs}>Show more</NextPage>
      </div>
    </Page>
  )
}

const NoConfig = () => (
  <EmptyState title="No config yet">
    The first one comes from a file, on the control plane’s machine:{' '}
    <code>admin import-config --name default --file site.jsonc --message "First version"</code>
  </EmptyState>
)

const columns: Column[] = [
  { title: 'Config' },
  { title: 'Latest version' },
  { title: 'Draft' },
  { title: 'Changed' },
]
const keyOf = ({ name }: Config) => name

function Configs({ known, hasMore }: { known: Config[]; hasMore: boolean }) {
  return (
    <LongTable
      label="Configs, table"
      columns={columns}
      rows={known}
      keyOf={keyOf}
      hasMore={hasMore}
    >
      {({ name, latestVersion, draftChanged, updatedAt }) => (
        <>
          <td>
            <Link to="/configs/$name" params={{ name }}>
              <strong>{name}</strong>
            </Link>
          </td>
          <td>
            {latestVersion === null ? (
              <span className="dim">none saved</span>
            ) : (
              <Link to="/configs/$name/versions/$number" params={{ name, number: latestVersion }}>
                v{latestVersion}
              </Link>
            )}
          </td>
          <td>{draftChanged ? 'Has changes not yet saved' : 'As saved'}</td>
          <td>
            <TimeAgo at={updatedAt} />
          </td>
        </>
      )}
    </LongTable>
  )
}
