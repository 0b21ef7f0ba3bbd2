// SPDX-License-Identifier: MIT

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Page } from '../../components/page.tsx'
import { Quantity } from '../../components/quantity.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { ReleaseVersion } from '../../lib/api-types.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { versionsQuery } from './api.ts'
import { ChangeCounts } from './change-counts.tsx'
import { PushCommand } from './push-command.tsx'

export function ReleaseScreen({ name }: { name: string }) {
  const versions = useInfiniteQuery(versionsQuery(name))
  return (
    <Page title={name} meta={t('Every version that is kept, newest first')}>
      <div className="panel">
        <QueryStates query={versions} what={t('The versions')} skeletonRows={5}>
          {({ pages }) => {
            const known = pages.flatMap(({ items }) => items)
            return known.length === 0 ? (
              <EmptyState title={t('No version is left')}>
                {t('They were removed. Make one:')}
                <PushCommand name={name} />
              </EmptyState>
            ) : (
              <Versions known={known} hasMore={versions.hasNextPage} />
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
  { title: t('Made'), className: 'wide-only' },
  { title: t('Source'), className: 'wide-only' },
  { title: t('Files'), className: 'wide-only' },
  { title: t('Size') },
  { title: t('Against the one before') },
]
const keyOf = ({ number }: ReleaseVersion) => String(number)

const Versions = ({ known, hasMore }: { known: ReleaseVersion[]; hasMore: boolean }) => (
  <LongTable
    label={t('Versions, table')}
    columns={columns}
    rows={known}
    keyOf={keyOf}
    hasMore={hasMore}
  >
    {({ release: name, number, message, author, createdAt, source, files, bytes, sinceParent }) => (
      <>
        <td>
          <Link to="/releases/$name/versions/$number" params={{ name, number }}>
            <strong>v{number}</strong>
          </Link>
        </td>
        <td>{message}</td>
        <td className="nowrap wide-only">{author}</td>
        <td className="wide-only">
          <TimeAgo at={createdAt} />
        </td>
        <td className="wide-only">{source === '' ? <span className="dim">–</span> : source}</td>
        <td className="wide-only">{formatCount(files)}</td>
        <td className="nowrap">
          <Quantity of={bytes} as={formatBytes} />
        </td>
        <td>
          <ChangeCounts {...sinceParent} />
        </td>
      </>
    )}
  </LongTable>
)
