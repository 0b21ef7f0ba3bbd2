// SPDX-License-Identifier: MIT

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Release } from '../../lib/api-types.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { releasesQuery } from './api.ts'
import { PushCommand } from './push-command.tsx'

export function ReleasesScreen() {
  const releases = useInfiniteQuery(releasesQuery)
  return (
    <Page
      width="list"
      title={t('Releases')}
      meta={t('The files of sites, as versions: each made once and never changed.')}
    >
      <div className="panel">
        <QueryStates query={releases} what={t('The releases')} skeletonRows={3}>
          {({ pages }) => {
            const known = pages.flatMap(({ items }) => items)
            return known.length === 0 ? (
              <EmptyState title={t('No release yet')}>
                <T
                  text="The first version makes one. In the folder above the files, signed in with <code>farmctl login</code>:"
                  code={<code />}
                />
                <PushCommand name="www" />
              </EmptyState>
            ) : (
              <Releases known={known} hasMore={releases.hasNextPage} />
            )
          }}
        </QueryStates>
        <NextPage of={releases}>{t('Show more')}</NextPage>
      </div>
    </Page>
  )
}

const columns: Column[] = [
  { title: t('Release') },
  { title: t('Latest') },
  { title: t('Message') },
  { title: t('Author'), className: 'wide-only' },
  { title: t('Files'), className: 'wide-only' },
  { title: t('Size') },
  { title: t('Versions'), className: 'wide-only' },
  { title: t('Changed') },
]
const keyOf = ({ name }: Release) => name

const Releases = ({ known, hasMore }: { known: Release[]; hasMore: boolean }) => (
  <LongTable
    label={t('Releases, table')}
    columns={columns}
    rows={known}
    keyOf={keyOf}
    hasMore={hasMore}
  >
    {({ name, latestVersion: number, latest, versions, updatedAt }) => (
      <>
        <td>
          <Link to="/releases/$name" params={{ name }}>
            <strong>{name}</strong>
          </Link>
        </td>
        <td>
          {number === null ? (
            <span className="dim">{t('none left')}</span>
          ) : (
            <Link to="/releases/$name/versions/$number" params={{ name, number }}>
              v{number}
            </Link>
          )}
        </td>
        <td>{latest?.message}</td>
        <td className="nowrap wide-only">{latest?.author}</td>
        <td className="wide-only">{latest && formatCount(latest.files)}</td>
        <td className="nowrap">{latest && formatBytes(latest.bytes)}</td>
        <td className="wide-only">{formatCount(versions)}</td>
        <td>
          <TimeAgo at={updatedAt} />
        </td>
      </>
    )}
  </LongTable>
)
