// SPDX-License-Identifier: MIT
import { useInfiniteQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/empty-state.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { SavedViews } from '../../components/saved-views.tsx'
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
    <Page title="Audit" meta="Who did what, when and from where. Entries are never changed.">
      {blocked === null ? (
        <>
          <Entries {...props} />
          <VerificationPanel />
        </>
      ) : (
        <Notice tone="info" title="You may not read the audit">
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
        <h2 id="entries-heading">Entries</h2>
        <span className="dim">newest first</span>
        <span className="grow" />
        <SavedViews list="audit" search={search} read={parseAuditSearch} onSearch={onSearch} />
        <Export search={search} />
      </div>
      <AuditFilters search={search} onSearch={onSearch} />
      <QueryStates query={audit} what="The audit" skeletonRows={8}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.items)
          return entries.length === 0 ? (
            <Nothing isAll={!audit.hasNextPage} />
          ) : (
            <AuditTable entries={entries} hasMore={audit.hasNextPage} />
          )
        }}
      </QueryStates>
      <NextPage of={audit}>Look further back</NextPage>
    </section>
  )
}

function Nothing({ isAll }: { isAll: boolean }) {
  return isAll ? (
    <EmptyState title="No entry matches these filters">
      Remove a filter, or show everybody’s entries: what nodes and the control plane do on their own
      is hidden at first.
    </EmptyState>
  ) : (
    <EmptyState title="None among the newest entries">
      Only the newest entries were searched. There are older ones.
    </EmptyState>
  )
}

function Export({ search }: { search: AuditSearch }) {
  return (
    <span>
      Export: <a href={exportUrl(search, 'ndjson')}>NDJSON</a>,{' '}
      <a href={exportUrl(search, 'csv')}>CSV</a>
    </span>
  )
}
