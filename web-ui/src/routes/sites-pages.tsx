// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { syncVerdict } from '../features/nodes/rules.ts'
import { RequestsScreen } from '../features/sites/requests/requests-screen.tsx'
import { SiteScreen } from '../features/sites/site-screen.tsx'
import { SitesScreen } from '../features/sites/sites-screen.tsx'

const sitesRoute = getRouteApi('/app/sites')
const requestsRoute = getRouteApi('/app/sites/requests')
const siteRoute = getRouteApi('/app/sites/$config/$host')

export function SitesPage() {
  const navigate = sitesRoute.useNavigate()
  return (
    <SitesScreen
      search={sitesRoute.useSearch()}
      onSearch={(search) => void navigate({ search, replace: true })}
    />
  )
}

export function RequestsPage() {
  const { session } = requestsRoute.useRouteContext()
  const navigate = requestsRoute.useNavigate()
  return (
    <RequestsScreen
      search={requestsRoute.useSearch()}
      onSearch={(search) => void navigate({ search, replace: true })}
      session={session}
    />
  )
}

export function SitePage() {
  const { config, host } = siteRoute.useParams()
  const { session } = siteRoute.useRouteContext()
  const navigate = siteRoute.useNavigate()
  return (
    <SiteScreen
      key={`${config} ${host}`}
      config={config}
      host={host}
      session={session}
      search={siteRoute.useSearch()}
      onSearch={(search) => void navigate({ search, replace: true })}
      stateVerdict={syncVerdict}
    />
  )
}
