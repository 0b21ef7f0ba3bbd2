// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { AlertsScreen } from '../features/alerts/alerts-screen.tsx'

const alertsRoute = getRouteApi('/app/alerts')

export function AlertsPage() {
  const { session } = alertsRoute.useRouteContext()
  return <AlertsScreen session={session} search={alertsRoute.useSearch()} />
}
