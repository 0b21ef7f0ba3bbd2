// SPDX-License-Identifier: MIT
// While the disk is full, the little room that is left is for what nodes say and for what people do about it.
import type { FastifyInstance } from 'fastify'
import { StorageFull } from '../api-shapes/errors.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE'])
/** Signing in and out, and what is done to a rollout. */
const STILL_TAKEN = ['/session', '/rollouts/:id/actions/']

export function refuseWhileFull(
  app: FastifyInstance,
  { prefix, isFull }: { prefix: string; isFull: () => boolean },
): void {
  app.addHook('preHandler', async ({ method, routeOptions: { url = '' } }) => {
    if (!isFull() || SAFE.has(method)) return
    if (!STILL_TAKEN.some((path) => url.startsWith(`${prefix}${path}`))) throw new StorageFull()
  })
}
