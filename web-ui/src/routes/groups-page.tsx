// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { GroupsScreen } from '../features/groups/groups-screen.tsx'

const route = getRouteApi('/app/groups')

export function GroupsPage() {
  const { session } = route.useRouteContext()
  return <GroupsScreen session={session} />
}
