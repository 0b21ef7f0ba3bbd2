// SPDX-License-Identifier: MIT

import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Digest } from '../../components/digest.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { RolloutLink } from '../../components/rollout-link.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Session, VersionSummary } from '../../lib/api-types.ts'
import { configQuery, versionsQuery } from './api.ts'
import { ConfigTabs } from './config-tabs.tsx'
import classes from './configs.module.css'
import { sources, type VersionsSearch } from './search.ts'

export type VersionsScreenProps = {
  name: string
  session: Session
  search: VersionsSearch
  onSearch: (search: VersionsSearch) => void
}

const TYPING_MS = 250

export function VersionsScreen({ name, session, search, onSearch }: VersionsScreenProps) {
  const [asked] = useDebouncedValue(search, TYPING_MS)
  const versions = useInfiniteQuery({
    ...versionsQuery(name, asked),
    placeholderData: keepPreviousData,
  })
  const config = useQuery(configQuery(name))
  const isFiltered = Object.values(asked).some((value) => value !== undefined)
  return (
    <Page title={name} meta={t('Every version that was ever saved; none of them changes')}>
      <ConfigTabs name={name} />
      <div className="panel">
        <VersionFilters search={search} onSearch={onSearch} />
        <QueryStates query={versions} what={t('The versions')} skeletonRows={5}>
          {({ pages }) => {
            const known = pages.flatMap(({ items }) => items)
            if (known.length > 0) {
              return (
                <Versions
                  known={known}
                  hasMore={versions.hasNextPage}
                  latest={config.data?.latestVersion ?? null}
                  session={session}
                />
              )
            }
            return isFiltered ? (
              <EmptyState title={t('No version matches')}>
                <Button size="xs" variant="default" onClick={() => onSearch({})}>
                  {t('Show all versions')}
                </Button>
              </EmptyState>
            ) : (
              <EmptyState title={t('No version yet')}>
                <T
                  text="<link>Open the editor</link> and save the first one."
                  link={<Link to="/configs/$name" params={{ name }} />}
                />
              </EmptyState>
            )
          }}
        </QueryStates>
        <NextPage of={versions}>{t('Show older versions')}</NextPage>
      </div>
    </Page>
  )
}

const columns: Column[] = [
  { title: t('Version') },
  { title: t('Message') },
  { title: t('Author'), className: 'wide-only' },
  { title: t('Saved'), className: 'wide-only' },
  { title: t('Digest'), className: 'wide-only' },
  { title: t('Runs on') },
  { title: t('Compare'), className: 'wide-only' },
  { title: t('Roll out') },
]
const keyOf = ({ number }: VersionSummary) => String(number)

type OfConfig = { latest: number | null; session: Session }
type VersionsProps = OfConfig & { known: VersionSummary[]; hasMore: boolean }

function Versions({ known, hasMore, ...ofConfig }: VersionsProps) {
  return (
    <LongTable
      label={t('Versions, table')}
      columns={columns}
      rows={known}
      keyOf={keyOf}
      hasMore={hasMore}
    >
      {(version) => <VersionCells version={version} {...ofConfig} />}
    </LongTable>
  )
}

function VersionFilters({ search, onSearch }: Omit<VersionsScreenProps, 'name' | 'session'>) {
  return (
    <div className={classes.compareBar}>
      <TextInput
        size="xs"
        label={t('Message or number')}
        value={search.q ?? ''}
        onChange={(event) => onSearch({ ...search, q: event.currentTarget.value || undefined })}
      />
      <TextInput
        size="xs"
        label={t('Author')}
        value={search.author ?? ''}
        onChange={(event) =>
          onSearch({ ...search, author: event.currentTarget.value || undefined })
        }
      />
      <NativeSelect
        size="xs"
        label={t('Source')}
        value={search.source ?? ''}
        data={[{ value: '', label: t('any') }, ...sources]}
        onChange={(event) =>
          onSearch({ ...search, source: sources.find((one) => one === event.currentTarget.value) })
        }
      />
    </div>
  )
}

function VersionCells({ version, latest, session }: OfConfig & { version: VersionSummary }) {
  const { config: name, number, parent } = version
  return (
    <>
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
      <td className="wide-only">
        <TimeAgo at={version.createdAt} />
      </td>
      <td className="wide-only">
        <Digest value={version.digest} />
      </td>
      <td className="nowrap">
        {version.nodes === 0 ? (
          <span className="dim">{t('no node')}</span>
        ) : (
          t('{nodes, plural, one {# node} other {# nodes}}', { nodes: version.nodes })
        )}
      </td>
      <td className="wide-only">
        {parent === null ? (
          <span className="dim">{t('the first')}</span>
        ) : (
          <Link
            to="/configs/$name/compare"
            params={{ name }}
            search={{ from: parent, to: number }}
            className="nowrap"
          >
            {t('with v{parent}', { parent })}
          </Link>
        )}
      </td>
      <td>
        <RolloutLink config={name} version={number} latest={latest} session={session} />
      </td>
    </>
  )
}
