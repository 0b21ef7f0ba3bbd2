// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { ConfigsScreen } from '../features/configs/configs-screen.tsx'

const route = getRouteApi('/app/configs')

export function ConfigsPage() {
  const { session } = route.useRouteContext()
  return <ConfigsScreen session={session} />
}
