// SPDX-License-Identifier: MIT
// Orders to all nodes at once, and what is asked of them.
import type { Built, Client } from '../../helper.ts'
import { AT_ONCE, get } from './farm.ts'

export const push = (client: Client, version: number, query = '', more: object = {}) =>
  client.inject({
    method: 'POST',
    url: `/api/v1/rollouts${query}`,
    payload: { config: 'default', version, message: 'because', strategy: AT_ONCE, ...more },
  })
export const freeze = (
  client: Client,
  { id, stateVersion }: { id: string; stateVersion: number },
) =>
  client.inject({
    method: 'POST',
    url: `/api/v1/rollouts/${id}/actions/freeze`,
    payload: { stateVersion },
  })
export const taskOf = async (service: Built, id: string, nodeName: string) =>
  (await get(service, id)).tasks.find((task) => task.nodeName === nodeName)
