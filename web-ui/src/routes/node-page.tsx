// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { NodeScreen } from '../features/nodes/node-screen.tsx'

const route = getRouteApi('/app/nodes/$id')

export function NodePage() {
  const { id } = route.useParams()
  const { session } = route.useRouteContext()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <NodeScreen
      key={id}
      id={id}
      session={session}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  )
}
