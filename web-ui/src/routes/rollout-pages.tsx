// SPDX-License-Identifier: MIT
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { PlanScreen } from '../features/rollouts/plan-screen.tsx'
import { RolloutScreen } from '../features/rollouts/rollout-screen.tsx'

const planRoute = getRouteApi('/app/rollouts/new')
const rolloutRoute = getRouteApi('/app/rollouts/$id')

export function PlanPage() {
  const release = planRoute.useSearch()
  const { session } = planRoute.useRouteContext()
  const navigate = useNavigate()
  const { selector: _, ...whole } = release
  return (
    <PlanScreen
      key={`${release.config} ${release.version}`}
      release={release}
      session={session}
      onNarrow={(selector) =>
        void navigate({
          to: '/rollouts/new',
          search: selector === '' ? whole : { ...whole, selector },
          replace: true,
        })
      }
      onStarted={(rollout) => void navigate({ to: '/rollouts/$id', params: { id: rollout.id } })}
    />
  )
}

export function RolloutPage() {
  const { id } = rolloutRoute.useParams()
  const { session } = rolloutRoute.useRouteContext()
  return <RolloutScreen key={id} id={id} session={session} />
}
