// SPDX-License-Identifier: MIT
// What the control plane says of itself: more than one place of the console asks.
import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from './api-client.ts'
import type { Health } from './api-types.ts'

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/system', { signal })),
})

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/health', { signal })),
  // A disk fills up and a backup gets old without an event.
  refetchInterval: 60_000,
})

export const checkNames: Record<Health['checks'][number]['name'], string> = {
  'control-db': 'Control database',
  'metrics-db': 'Measurements',
  'node-check': 'Config check',
  'agent-ca': 'Agents’ certificates',
  certificates: 'Sites’ certificates',
  backup: 'Backups',
}
