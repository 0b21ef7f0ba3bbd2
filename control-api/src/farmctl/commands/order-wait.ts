// SPDX-License-Identifier: MIT
// Watches an order to its end. The steps of an order are no events, so it is asked for them, again and again.
import { setTimeout as sleep } from 'node:timers/promises'
import { bodyOf } from '../api.ts'
import type { CertificateOrder, ManagedCertificate } from '../api-types.ts'
import type { Tool } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { Failure } from '../failures.ts'

/** Many an order is done in a second; one that waits longer is asked for less often. */
const ASK_AGAIN_MS = { first: 200, most: 1000, growth: 1.5 }
/** What was asked for a moment ago may have been looked at by nobody yet. */
const QUIET_MS = 1000
/** Another CA has its turn within this; what is later is a failure. */
const SOON_MS = 60_000

type Seen = { managed: ManagedCertificate; newest: CertificateOrder | null }
/** isQuiet: nothing has happened, and nothing is about to. */
type End = { exitCode: ExitCode; says: string; isQuiet?: true }

/** `before`: the newest order there was, which does not count; null: any counts. */
export async function waitForOrder(
  tool: Tool,
  name: string,
  { before, minutes }: { before: string | null; minutes: number },
): Promise<void> {
  const untilMs = Date.now() + minutes * 60_000
  const back = `farmctl certificates wait ${name}`
  let told = ''
  let quietSinceMs: number | null = null
  let askAgainMs = ASK_AGAIN_MS.first
  while (!tool.stop.aborted) {
    const seen = await look(tool, name)
    const end = endOf(seen, before)
    quietSinceMs = end?.isQuiet ? (quietSinceMs ?? Date.now()) : null
    const isQuiet = quietSinceMs !== null && Date.now() - quietSinceMs >= QUIET_MS
    if (end !== null && (!end.isQuiet || isQuiet)) {
      tool.show(seen.managed, () => [end.says])
      if (end.exitCode !== EXIT.ok) throw new Failure(`${name} was not issued.`, end.exitCode)
      return
    }
    const line = progressOf(seen.managed)
    if (line !== told) tool.terminal.progress(line)
    told = line
    if (Date.now() > untilMs) {
      tool.show(seen.managed, () => [line])
      throw new Failure(`It goes on without you. Back to it: ${back}`, EXIT.inconclusive)
    }
    await sleep(askAgainMs, undefined, { signal: tool.stop }).catch(() => {})
    askAgainMs = Math.min(askAgainMs * ASK_AGAIN_MS.growth, ASK_AGAIN_MS.most)
  }
  throw new Failure(`It goes on without you. Back to it: ${back}`, EXIT.interrupted)
}

async function look(tool: Tool, name: string): Promise<Seen> {
  const params = { path: { name } }
  const api = tool.api()
  const managed = await bodyOf(api.GET('/api/v1/managed-certificates/{name}', { params }))
  if (managed.order) return { managed, newest: managed.order }
  const { items } = await bodyOf(
    api.GET('/api/v1/managed-certificates/{name}/orders', {
      params: { ...params, query: { limit: 1 } },
    }),
  )
  return { managed, newest: items[0] ?? null }
}

/** null: it is under way, or has yet to begin. All times are the control plane's. */
function endOf({ managed, newest }: Seen, before: string | null): End | null {
  const { name, order, certificate, next, state } = managed
  if (order) return null
  const until = certificate ? `version ${certificate.version}, until ${certificate.notAfter}` : ''
  const isOurs = newest !== null && newest.id !== before
  if (isOurs && newest.state === 'issued') {
    return { exitCode: EXIT.ok, says: `${name} has ${until}.` }
  }
  if (managed.paused) return { exitCode: EXIT.inconclusive, says: next.because }
  if (isOurs && newest.state === 'cancelled') {
    return { exitCode: EXIT.inconclusive, says: `The order for ${name} was cancelled.` }
  }
  if (isOurs && isLater(newest, next.at)) {
    const again = next.at === null ? '' : ` It is tried again at ${next.at}.`
    return { exitCode: EXIT.failed, says: `${newest.lastError ?? next.because}${again}` }
  }
  if (!isOurs && state === 'issued') {
    const says = `${name} has ${until}: nothing is ordered before ${next.at}. Now: farmctl certificates order-now ${name}`
    return { exitCode: EXIT.ok, says, isQuiet: true }
  }
  return null
}

const isLater = ({ endedAt }: CertificateOrder, nextAt: string | null) =>
  endedAt !== null && (nextAt === null || Date.parse(nextAt) - Date.parse(endedAt) > SOON_MS)

/** Without times: it is told when it is something else. */
function progressOf({ name, order, next }: ManagedCertificate): string {
  if (!order) return `${name}: ${next.because}`
  const nodes = order.waitingFor?.nodes.map((node) => node.name) ?? []
  const missing =
    order.waitingFor && order.waitingFor.more > 0 ? [`${order.waitingFor.more} more`] : []
  const who = [...nodes, ...missing].join(', ')
  const why = order.lastError ?? order.waitingFor?.reason ?? null
  const from = `${order.state} at ${order.authority}`
  return `${name}: ${from}${why === null ? '' : `: ${why}`}${who ? ` (${who})` : ''}`
}
