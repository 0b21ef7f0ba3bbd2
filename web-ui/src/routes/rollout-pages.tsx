// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { nodesQuery } from '../features/nodes/api.ts'
import { PlanScreen } from '../features/rollouts/plan-screen.tsx'
import { RolloutScreen } from '../features/rollouts/rollout-screen.tsx'

const planRoute = getRouteApi('/app/rollouts/new')
const rolloutRoute = getRouteApi('/app/rollouts/$id')

export function PlanPage() {
  const release = planRoute.useSearch()
  const { session } = planRoute.useRouteContext()
  const navigate = useNavigate()
  const { selector: _, ...whole } = release
  const { data: nodes = [] } = useQuery(nodesQuery)
  const drifted = nodes.filter(({ drift }) => drift !== null && drift.decision === null)
  return (
    <PlanScreen
      key={`${release.config} ${release.version}`}
      release={release}
      session={session}
      drifted={new Set(drifted.map(({ id }) => id))}
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
  const navigate = useNavigate()
  const { data: nodes = [] } = useQuery(nodesQuery)
  return (
    <RolloutScreen
      key={id}
      id={id}
      session={session}
      versionsOf={(config) =>
        new Map(
          nodes.flatMap(({ id: nodeId, sync }) => {
            const of = sync.effective?.version
            return of?.config === config ? [[nodeId, of.number] as const] : []
          }),
        )
      }
      onStarted={(rollout) => void navigate({ to: '/rollouts/$id', params: { id: rollout.id } })}
    />
  )
}
