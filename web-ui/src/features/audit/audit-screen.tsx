// SPDX-License-Identifier: MIT

import { useInfiniteQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/empty-state.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { SavedViews } from '../../components/saved-views.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { auditQuery, exportUrl } from './api.ts'
import { AuditFilters } from './audit-filters.tsx'
import { AuditTable } from './audit-table.tsx'
import { type AuditSearch, parseAuditSearch } from './search.ts'
import { VerificationPanel } from './verification-panel.tsx'

export type AuditScreenProps = {
  session: Session
  search: AuditSearch
  onSearch: (search: AuditSearch) => void
}

export function AuditScreen({ session, ...props }: AuditScreenProps) {
  const blocked = whyNot(session, 'audit:read')
  return (
    <Page
      title={t('Audit')}
      meta={t('Who did what, when and from where. Entries are never changed.')}
    >
      {blocked === null ? (
        <>
          <Entries {...props} />
          <VerificationPanel />
        </>
      ) : (
        <Notice tone="info" title={t('You may not read the audit')}>
          {blocked}
        </Notice>
      )}
    </Page>
  )
}

function Entries({ search, onSearch }: Omit<AuditScreenProps, 'session'>) {
  const audit = useInfiniteQuery(auditQuery(search))
  return (
    <section className="panel" aria-labelledby="entries-heading">
      <div className="panel-head">
        <h2 id="entries-heading">{t('Entries')}</h2>
        <span className="dim">{t('newest first')}</span>
        <span className="grow" />
        <SavedViews list="audit" search={search} read={parseAuditSearch} onSearch={onSearch} />
        <Export search={search} />
      </div>
      <AuditFilters search={search} onSearch={onSearch} />
      <QueryStates query={audit} what={t('The audit')} skeletonRows={8}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.items)
          return entries.length === 0 ? (
            <Nothing isAll={!audit.hasNextPage} />
          ) : (
            <AuditTable entries={entries} hasMore={audit.hasNextPage} />
          )
        }}
      </QueryStates>
      <NextPage of={audit}>{t('Look further back')}</NextPage>
    </section>
  )
}

function Nothing({ isAll }: { isAll: boolean }) {
  return isAll ? (
    <EmptyState title={t('No entry matches these filters')}>
      {t(
        'Remove a filter, or show everybody’s entries: what nodes and the control plane do on their own is hidden at first.',
      )}
    </EmptyState>
  ) : (
    <EmptyState title={t('None among the newest entries')}>
      {t('Only the newest entries were searched. There are older ones.')}
    </EmptyState>
  )
}

function Export({ search }: { search: AuditSearch }) {
  return (
    <span>
      <T
        text="Export: <a>NDJSON</a>, <a2>CSV</a2>"
        a={<a href={exportUrl(search, 'ndjson')} />}
        a2={<a href={exportUrl(search, 'csv')} />}
      />
    </span>
  )
}
