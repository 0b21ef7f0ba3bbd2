// SPDX-License-Identifier: MIT
import { getRouteApi } from '@tanstack/react-router'
import { CompareScreen } from '../features/measurements/compare-screen.tsx'
import { MeasurementsScreen } from '../features/measurements/measurements-screen.tsx'
import { TopScreen } from '../features/measurements/top-screen.tsx'

const measurementsRoute = getRouteApi('/app/measurements')
const topRoute = getRouteApi('/app/measurements/top')
const compareRoute = getRouteApi('/app/measurements/compare')

export function MeasurementsPage() {
  const { session } = measurementsRoute.useRouteContext()
  const navigate = measurementsRoute.useNavigate()
  return (
    <MeasurementsScreen
      session={session}
      search={measurementsRoute.useSearch()}
      onSearch={(search) => void navigate({ search })}
    />
  )
}

export function CompareMeasurementsPage() {
  const navigate = compareRoute.useNavigate()
  return (
    <CompareScreen
      search={compareRoute.useSearch()}
      onSearch={(search) => void navigate({ search })}
    />
  )
}

export function TopNodesPage() {
  const navigate = topRoute.useNavigate()
  return (
    <TopScreen search={topRoute.useSearch()} onSearch={(search) => void navigate({ search })} />
  )
}
