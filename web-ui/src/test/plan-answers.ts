// SPDX-License-Identifier: MIT
// What the control plane says of a plan, and to an order.
import type { Policy } from '../lib/api-types.ts'
import { type ApiRequest, json } from './fake-api.ts'
import { plan, plannedNode, planOf, preflight, rollout } from './samples.ts'

export { soon } from './soon.ts'

export const one = rollout()
export const endpoint = `GET /rollouts/${one.id}`
export const plans = '/rollouts/new?config=default&version=2'
export const error = {
  pointer: '/sites/0/root',
  line: 9,
  column: 15,
  endLine: 9,
  endColumn: 30,
  code: 'no_such_folder',
  message: 'there is no folder /srv/wwww',
  hint: '',
}
export const isOrder = ({ method, path }: ApiRequest) => method === 'POST' && path === '/rollouts'
export const answer = (planned: object, said: object = preflight()) => ({
  'POST /rollouts/preflight': () => json(said),
  'POST /rollouts': ({ query }: ApiRequest) =>
    query.get('dryRun') === '1' ? json(planned) : json(one, {}, 201),
})

export const policy = {
  ...plan().policy,
  maxParallel: 1,
  blastBudget: 1,
  soakSeconds: 120,
  gates: [{ metric: 'errors5xx', max: 0.01, onFail: 'revert' }],
} satisfies Policy
const second = { nodeId: 'node_2', nodeName: 'edge-2' }
export const byWaves = planOf([plannedNode(), plannedNode({ ...second, wave: 1 })], {
  ...{ waves: 2, policy },
})
export const ofTwoKinds = planOf(
  [
    plannedNode(),
    plannedNode(second),
    plannedNode({ nodeId: 'node_3', nodeName: 'edge-3', kind: 'FreeBSD 14 · 0.0.9' }),
  ],
  { waves: 2, policy },
)
