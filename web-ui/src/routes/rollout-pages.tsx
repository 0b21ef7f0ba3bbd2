// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { IfAllowed } from '../components/if-allowed.tsx'
import { QueryStates } from '../components/query-states.tsx'
import { namedTasksQuery, rolloutQuery } from '../features/rollouts/api.ts'
import { ChooseRelease } from '../features/rollouts/choose-release.tsx'
import { PlanScreen } from '../features/rollouts/plan-screen.tsx'
import { RolloutScreen } from '../features/rollouts/rollout-screen.tsx'
import { choiceOf } from '../features/rollouts/strategy.ts'
import { t } from '../languages/t.ts'
import type { Rollout } from '../lib/api-types.ts'

const planRoute = getRouteApi('/app/rollouts/new')
const rolloutRoute = getRouteApi('/app/rollouts/$id')

export function PlanPage() {
  const { again, config, version } = planRoute.useSearch()
  const { session } = planRoute.useRouteContext()
  if (config === undefined || version === undefined) return <Choose />
  return (
    <IfAllowed
      {...{ session, permission: 'rollouts:run' }}
      title={t('Plan')}
      refusal={t('You may not order rollouts')}
    >
      {again === undefined ? <Plan /> : <PlanAgain id={again} />}
    </IfAllowed>
  )
}

function Choose() {
  const { config = '', selector = '', releases } = planRoute.useSearch()
  const navigate = useNavigate()
  return (
    <ChooseRelease
      key={config}
      config={config}
      selector={selector}
      onChoose={(release) =>
        void navigate({ to: '/rollouts/new', search: { ...release, releases } })
      }
    />
  )
}

/** The plan of an order that was made before, filled in as it was. */
function PlanAgain({ id }: { id: string }) {
  const before = useQuery(rolloutQuery(id))
  return (
    <QueryStates query={before} what={t('The rollout to order again')} skeletonRows={5}>
      {(rollout) =>
        rollout.namesNodes ? <PlanNamed before={rollout} /> : <Plan before={rollout} />
      }
    </QueryStates>
  )
}

/** For the nodes that its order named. */
function PlanNamed({ before }: { before: Rollout }) {
  const tasks = useQuery(namedTasksQuery(before.id, {}))
  return (
    <QueryStates query={tasks} what={t('The nodes to order it for again')} skeletonRows={5}>
      {({ items }) => <Plan before={before} nodes={items.map(({ nodeId }) => nodeId)} />}
    </QueryStates>
  )
}

function Plan({ before, nodes: named }: { before?: Rollout; nodes?: string[] }) {
  const { again: _again, selector, backFrom, ...asked } = planRoute.useSearch()
  const { config = '', version = 0, releases } = asked
  const release = {
    ...{ config, version },
    ...(releases !== undefined && { releases }),
    ...(selector !== undefined && { selector }),
    ...(named && { nodes: named }),
  }
  const { session } = planRoute.useRouteContext()
  const navigate = useNavigate()
  const { selector: _, ...whole } = planRoute.useSearch()
  return (
    <PlanScreen
      key={`${release.config} ${release.version}`}
      release={release}
      backFrom={backFrom}
      first={before && choiceOf(before.strategy)}
      session={session}
      onNarrow={(selector) =>
        void navigate({
          to: '/rollouts/new',
          search: selector === '' ? whole : { ...whole, selector },
          replace: true,
        })
      }
      onChooseRelease={(name, number) =>
        void navigate({
          to: '/rollouts/new',
          search: (before) => ({ ...before, releases: { ...before.releases, [name]: number } }),
          replace: true,
        })
      }
      onStarted={({ id }) =>
        void navigate({ to: '/rollouts/$id', params: { id }, ignoreBlocker: true })
      }
      onOpenNode={(id) => void navigate({ to: '/nodes/$id', params: { id } })}
    />
  )
}

export function RolloutPage() {
  const { id } = rolloutRoute.useParams()
  const { session } = rolloutRoute.useRouteContext()
  const navigate = useNavigate()
  return (
    <RolloutScreen
      key={id}
      id={id}
      session={session}
      onStarted={(rollout) => void navigate({ to: '/rollouts/$id', params: { id: rollout.id } })}
      onOpenNode={(nodeId) => void navigate({ to: '/nodes/$id', params: { id: nodeId } })}
    />
  )
}
