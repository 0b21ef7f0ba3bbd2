// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { QueryStates } from '../components/query-states.tsx'
import { nodesQuery } from '../features/nodes/api.ts'
import { rolloutQuery } from '../features/rollouts/api.ts'
import { PlanScreen } from '../features/rollouts/plan-screen.tsx'
import { RolloutScreen } from '../features/rollouts/rollout-screen.tsx'
import { choiceOf } from '../features/rollouts/strategy.ts'
import type { Rollout } from '../lib/api-types.ts'

const planRoute = getRouteApi('/app/rollouts/new')
const rolloutRoute = getRouteApi('/app/rollouts/$id')

export function PlanPage() {
  const { again } = planRoute.useSearch()
  return again === undefined ? <Plan /> : <PlanAgain id={again} />
}

/** The plan of an order that was made before, filled in as it was. */
function PlanAgain({ id }: { id: string }) {
  const before = useQuery(rolloutQuery(id))
  return (
    <QueryStates query={before} what="The rollout to order again" skeletonRows={5}>
      {(rollout) => <Plan before={rollout} />}
    </QueryStates>
  )
}

function Plan({ before }: { before?: Rollout }) {
  const { again: _again, ...asked } = planRoute.useSearch()
  const nodeIds = before?.namesNodes ? before.tasks.map(({ nodeId }) => nodeId) : undefined
  const release = { ...asked, ...(nodeIds && { nodes: nodeIds }) }
  const { session } = planRoute.useRouteContext()
  const navigate = useNavigate()
  const { selector: _, ...whole } = planRoute.useSearch()
  return (
    <PlanScreen
      key={`${release.config} ${release.version}`}
      release={release}
      first={before && choiceOf(before.strategy)}
      session={session}
      onNarrow={(selector) =>
        void navigate({
          to: '/rollouts/new',
          search: selector === '' ? whole : { ...whole, selector },
          replace: true,
        })
      }
      onStarted={({ id }) =>
        void navigate({ to: '/rollouts/$id', params: { id }, ignoreBlocker: true })
      }
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
