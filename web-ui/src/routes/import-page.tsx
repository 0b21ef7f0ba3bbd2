// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { ImportScreen } from '../features/configs/import/import-screen.tsx'

const route = getRouteApi('/app/import')

export function ImportPage() {
  const { session } = route.useRouteContext()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <ImportScreen
      session={session}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  )
}
