// SPDX-License-Identifier: MIT
// What the control plane says of itself: more than one place of the console asks.

import { queryOptions } from '@tanstack/react-query'
import { t } from '../languages/t.ts'
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
  'control-db': t('Control database'),
  'metrics-db': t('Measurements'),
  'node-check': t('Config check'),
  'agent-ca': t('Agents’ certificates'),
  certificates: t('Sites’ certificates'),
  backup: t('Backups'),
}
