// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { AuditScreen } from '../features/audit/audit-screen.tsx'
import { EntryScreen } from '../features/audit/entry-screen.tsx'
import { nodesQuery } from '../features/nodes/api.ts'

const auditRoute = getRouteApi('/app/audit')
const entryRoute = getRouteApi('/app/audit/$id')

/** Of a node that is there still. */
function useNameOf() {
  const { data = [] } = useQuery(nodesQuery)
  const names = new Map(data.map(({ id, name }) => [id, name]))
  return (id: string) => names.get(id)
}

export function AuditPage() {
  const { session } = auditRoute.useRouteContext()
  const search = auditRoute.useSearch()
  const navigate = auditRoute.useNavigate()
  const nameOf = useNameOf()
  return (
    <AuditScreen
      session={session}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
      nameOf={nameOf}
    />
  )
}

export function EntryPage() {
  const { id } = entryRoute.useParams()
  const nameOf = useNameOf()
  return <EntryScreen key={id} id={Number(id)} nameOf={nameOf} />
}
