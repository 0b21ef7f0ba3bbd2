// SPDX-License-Identifier: MIT
import { act, render } from '@testing-library/react'
import { vi } from 'vitest'
import { createApp } from '../app/app.tsx'
import type { EventKind } from '../lib/api-types.ts'
import { type FakeApi, fakeApi, type Handlers, json } from './fake-api.ts'
import { FakeStream, say } from './fake-stream.ts'
import {
  config,
  farmSummary,
  group,
  health,
  node,
  nodeAdvice,
  nodeCells,
  nodesPage,
  noMetrics,
  page,
  plan,
  planCells,
  preflight,
  rollout,
  session,
  system,
  task,
  tasksOf,
} from './samples.ts'

export const sayChanged = (kind: EventKind): void => act(() => say(kind))

/** The whole console at an address, in front of a control plane that answers like this. */
export function renderApp(address: string, handlers: Handlers = {}): FakeApi {
  vi.stubGlobal('EventSource', FakeStream)
  window.history.replaceState(null, '', address)
  const api = fakeApi({
    'GET /session': () => json(session),
    'GET /setup': () => json({ required: false }),
    'GET /session/methods': () => json({ password: true, oidc: null }),
    'GET /farm/summary': () => json(farmSummary()),
    'GET /nodes/cells': () => json(nodeCells()),
    'GET /nodes': () => json(nodesPage(node())),
    [`GET /nodes/${node().id}/advice`]: () => json(nodeAdvice()),
    'GET /groups': () => json(page(group())),
    'POST /rollouts/preflight': () => json(preflight()),
    [`GET /rollouts/plans/${encodeURIComponent(plan().planDigest)}/cells`]: () => json(planCells()),
    'GET /configs/default': () => json(config()),
    'GET /rollouts': () => json(page()),
    [`GET /rollouts/${rollout().id}/tasks`]: () => json(tasksOf(task())),
    'GET /metrics/query': () => json(noMetrics),
    'GET /views': () => json({ items: [] }),
    'GET /recovery': () => json({ recovery: null }),
    'GET /system': () => json(system),
    'GET /health': () => json(health),
    ...handlers,
  })
  render(createApp('test'))
  return api
}
