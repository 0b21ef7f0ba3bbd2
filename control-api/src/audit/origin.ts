// SPDX-License-Identifier: MIT
// On whose behalf the code is running: what the audit says about a change beside who made it. It goes
// with the request through every await, so that no route has to hand it on.
import { AsyncLocalStorage } from 'node:async_hooks'

/** How somebody came to change something. */
export type Via = 'session' | 'token' | 'operator' | 'agent' | 'service'
export type Origin = {
  /** Of what has an actor; what has none is the service's own doing. */
  via: Via
  tokenId: string | null
  requestId: string | null
  address: string | null
}

/** Read when something happens: who asks is found out after the request began. */
const storage = new AsyncLocalStorage<() => Origin>()

export const runAs = <T>(origin: () => Origin, work: () => T): T => storage.run(origin, work)

/** What the service does by itself in somebody's name, long after they asked. */
export const runAsService = <T>(work: () => T): T =>
  storage.run(() => ({ ...OPERATOR, via: 'service' }), work)

/** No request: the operator's commands, and what the service does by itself. */
const OPERATOR: Origin = { via: 'operator', tokenId: null, requestId: null, address: null }

export const currentOrigin = (): Origin => storage.getStore()?.() ?? OPERATOR
