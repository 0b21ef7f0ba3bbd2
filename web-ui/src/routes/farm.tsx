// SPDX-License-Identifier: MIT
import { createRoute } from '@tanstack/react-router'
import { FarmScreen } from '../features/nodes/farm-screen.tsx'
import { parseFarmSearch } from '../features/nodes/farm-search.ts'
import { appRoute } from './app.tsx'

export const farmRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  validateSearch: parseFarmSearch,
  component: function Farm() {
    const search = farmRoute.useSearch()
    const navigate = farmRoute.useNavigate()
    const { session } = farmRoute.useRouteContext()
    return (
      <FarmScreen
        session={session}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: true })}
      />
    )
  },
})
