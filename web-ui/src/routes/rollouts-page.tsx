// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { RolloutsScreen } from '../features/rollouts/rollouts-screen.tsx'

const route = getRouteApi('/app/rollouts')

export function RolloutsPage() {
  const search = route.useSearch()
  const { session } = route.useRouteContext()
  const navigate = route.useNavigate()
  return (
    <RolloutsScreen
      search={search}
      session={session}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  )
}
