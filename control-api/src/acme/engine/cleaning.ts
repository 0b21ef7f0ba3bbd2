// SPDX-License-Identifier: MIT
// Takes away what orders that have ended published. A zone whose program is away is asked again, for a day.
import { updateDnsWebhook } from '../dns-webhook-store.ts'
import {
  type KeptChallenge,
  noteCleaned,
  type OrderRow,
  openOrders,
  ordersToClean,
} from '../order-store.ts'
import type { Context } from './context.ts'

const AT_ONCE = 50
const AGAIN_MS = 5 * 60_000
const LONGEST_MS = 24 * 3600_000

export function createCleaning(ctx: Context) {
  /** By order, when it is tried again. */
  const notBefore = new Map<string, number>()

  /** A CA may have given an order after it the same authorization, and so the same token. */
  async function stillWanted(): Promise<Set<string>> {
    const open = await openOrders(ctx.db)
    const all = open.flatMap(({ challenges }): KeptChallenge[] => JSON.parse(challenges))
    return new Set(all.map(({ keyAuthorization }) => keyAuthorization))
  }

  async function takeAway(order: OrderRow, wanted: ReadonlySet<string>): Promise<void> {
    const challenges: KeptChallenge[] = JSON.parse(order.challenges)
    const gone = challenges.filter(({ keyAuthorization }) => !wanted.has(keyAuthorization))
    const solver = order.dns_webhook === null ? ctx.http : await ctx.dns(order.dns_webhook)
    await solver?.cleanUp(order.id, gone)
  }

  async function clean(order: OrderRow, wanted: ReadonlySet<string>): Promise<void> {
    const nowMs = ctx.now()
    try {
      await takeAway(order, wanted)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const { dns_webhook: webhook } = order
      if (webhook !== null) {
        await ctx.write((unit) => updateDnsWebhook(unit, webhook, { last_error: message }))
      }
      if (nowMs - (order.ended_at_ms ?? nowMs) < LONGEST_MS) {
        notBefore.set(order.id, nowMs + AGAIN_MS)
        return
      }
    }
    notBefore.delete(order.id)
    await ctx.write((unit) => noteCleaned(unit, order))
  }

  return async (): Promise<void> => {
    const ended = await ordersToClean(ctx.db, AT_ONCE)
    const ready = ended.filter(({ id }) => (notBefore.get(id) ?? 0) <= ctx.now())
    if (ready.length === 0) return
    const wanted = await stillWanted()
    for (const order of ready) await clean(order, wanted)
  }
}
