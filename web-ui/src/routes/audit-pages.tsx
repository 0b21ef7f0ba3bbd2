// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { IfAllowed } from '../components/if-allowed.tsx'
import { AuditScreen } from '../features/audit/audit-screen.tsx'
import { EntryScreen } from '../features/audit/entry-screen.tsx'
import { t } from '../languages/t.ts'

const auditRoute = getRouteApi('/app/audit')
const entryRoute = getRouteApi('/app/audit/$id')

export function AuditPage() {
  const { session } = auditRoute.useRouteContext()
  const search = auditRoute.useSearch()
  const navigate = auditRoute.useNavigate()
  return (
    <AuditScreen
      session={session}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  )
}

export function EntryPage() {
  const { id } = entryRoute.useParams()
  const { session } = entryRoute.useRouteContext()
  return (
    <IfAllowed
      {...{ session, permission: 'audit:read' }}
      title={t('Entry {id}', { id })}
      refusal={t('You may not read the audit')}
    >
      <EntryScreen key={id} id={Number(id)} />
    </IfAllowed>
  )
}
