// SPDX-License-Identifier: MIT
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ReleaseScreen } from '../features/releases/release-screen.tsx'
import { ReleasesScreen } from '../features/releases/releases-screen.tsx'
import { ReleaseVersionScreen } from '../features/releases/version-screen.tsx'

const oneRoute = getRouteApi('/app/releases/$name')
const versionRoute = getRouteApi('/app/releases/$name/versions/$number')

export const ReleasesPage = () => <ReleasesScreen />

export function ReleasePage() {
  const { name } = oneRoute.useParams()
  return <ReleaseScreen key={name} name={name} />
}

export function ReleaseVersionPage() {
  const { name, number } = versionRoute.useParams()
  const { session } = versionRoute.useRouteContext()
  const navigate = useNavigate()
  return (
    <ReleaseVersionScreen
      key={`${name}/${number}`}
      name={name}
      number={number}
      session={session}
      search={versionRoute.useSearch()}
      onSearch={(search) =>
        void navigate({
          to: '/releases/$name/versions/$number',
          params: { name, number },
          search,
          replace: true,
        })
      }
      onDeleted={() => void navigate({ to: '/releases/$name', params: { name } })}
    />
  )
}
