// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { FarmScreen } from '../features/nodes/farm-screen.tsx'

const route = getRouteApi('/app/nodes')

export function NodesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = route.useRouteContext()
  return (
    <FarmScreen
      session={session}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  )
}
