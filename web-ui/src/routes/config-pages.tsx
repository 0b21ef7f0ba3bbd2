// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { CompareScreen } from '../features/configs/compare-screen.tsx'
import { ConfigScreen } from '../features/configs/config-screen.tsx'
import { VersionScreen } from '../features/configs/version-screen.tsx'
import { VersionsScreen } from '../features/configs/versions-screen.tsx'

const configRoute = getRouteApi('/app/configs/$name')
const versionsRoute = getRouteApi('/app/configs/$name/versions')
const versionRoute = getRouteApi('/app/configs/$name/versions/$number')
const compareRoute = getRouteApi('/app/configs/$name/compare')

export function ConfigPage() {
  const { name } = configRoute.useParams()
  const { session } = configRoute.useRouteContext()
  const search = configRoute.useSearch()
  const navigate = configRoute.useNavigate()
  return (
    <ConfigScreen
      key={name}
      name={name}
      session={session}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  )
}

export function VersionsPage() {
  const { name } = versionsRoute.useParams()
  const { session } = versionsRoute.useRouteContext()
  const search = versionsRoute.useSearch()
  const navigate = versionsRoute.useNavigate()
  return (
    <VersionsScreen
      key={name}
      name={name}
      session={session}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  )
}

export function VersionPage() {
  const { name, number } = versionRoute.useParams()
  const { session } = versionRoute.useRouteContext()
  const place = versionRoute.useSearch()
  return (
    <VersionScreen
      key={`${name} ${number}`}
      name={name}
      number={number}
      session={session}
      place={place}
    />
  )
}

export function ComparePage() {
  const { name } = compareRoute.useParams()
  const { session } = compareRoute.useRouteContext()
  const search = compareRoute.useSearch()
  const navigate = compareRoute.useNavigate()
  return (
    <CompareScreen
      key={name}
      name={name}
      session={session}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  )
}
