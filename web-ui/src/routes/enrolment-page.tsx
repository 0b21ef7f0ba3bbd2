// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { EnrolmentScreen } from '../features/nodes/enrolment/enrolment-screen.tsx'

const route = getRouteApi('/app/enrolment')

export function EnrolmentPage() {
  const { session } = route.useRouteContext()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <EnrolmentScreen
      session={session}
      search={search}
      onSearch={({ node }) =>
        void navigate({ search: node === undefined ? {} : { node }, replace: true })
      }
    />
  )
}
