// SPDX-License-Identifier: MIT
// HTTP-01: all nodes get the token, and each that serves the name has said that it answers it before the CA is told, for the
// CA asks any of them. A node that is away is not waited for for ever: docs/decisions/0105.
import type { Challenges } from '../fleet/challenges.ts'
import type { ChallengeSolver, LiveChallenge, Publication } from './challenges.ts'

type Deps = {
  challenges: Pick<Challenges, 'put' | 'remove' | 'answersOf'>
  /** Ids of the nodes whose config answers for one of these hosts, connected or not. */
  nodesServing(hosts: readonly string[]): Promise<ReadonlySet<string>>
  connectedIds(): readonly string[]
  isConnected(nodeId: string): boolean
  now: () => number
  /** Nodes that were just told answer within a moment: as soon their answers are looked for. */
  soonestMs: number
}

const MINUTE_MS = 60_000
/** From when the nodes were told on: for one that is not connected, and for one that is. */
const AWAY_MS = 10 * MINUTE_MS
const SILENT_MS = 60 * MINUTE_MS
/** Nodes keep it so long by themselves; it is put again as long as the order is open. */
const LIFE_MS = 24 * 60 * MINUTE_MS
const LOOK_AGAIN_MS = { most: 5000, part: 0.1 }
const NO_ROOM_MS = 5000

export function createHttpChallenges(deps: Deps): ChallengeSolver {
  const { challenges, nodesServing, connectedIds, isConnected, now, soonestMs } = deps
  /** By order, since when the nodes have been told. */
  const since = new Map<string, number>()
  /** Orders for whose challenges there was no room: they come in the order they asked. */
  const line = new Set<string>()

  const put = (order: string, all: readonly LiveChallenge[]): boolean => {
    const [first] = line
    const isTurn = first === undefined || first === order || since.has(order)
    const isPut =
      isTurn &&
      challenges.put(
        all.map(({ host, token, keyAuthorization }) => ({
          ...{ host, token, keyAuthorization },
          lifeMs: LIFE_MS,
        })),
      )
    if (isPut) line.delete(order)
    else line.add(order)
    return isPut
  }

  /** When nobody has the host in a config, any node may be asked: all that are connected answer. */
  const whoIsAsked = async (hosts: readonly string[]): Promise<ReadonlySet<string>> => {
    const serving = await nodesServing(hosts)
    return serving.size > 0 ? serving : new Set(connectedIds())
  }

  return {
    async publish(order, all): Promise<Publication> {
      if (!put(order, all)) {
        const reason =
          'As many challenges stand as nodes can hold: it waits for other orders to end'
        return { ready: false, waitingFor: [], reason, waitMs: NO_ROOM_MS }
      }
      const sinceMs = since.get(order) ?? now()
      since.set(order, sinceMs)
      const waitedMs = now() - sinceMs
      const { most, part } = LOOK_AGAIN_MS
      const waitMs = Math.min(Math.max(waitedMs * part, soonestMs), most)
      const hosts = [...new Set(all.map(({ host }) => host))]
      const asked = await whoIsAsked(hosts)
      if (asked.size === 0) {
        const reason = `No node is connected that could answer for ${hosts[0]}`
        return { ready: false, waitingFor: [], reason, waitMs: most }
      }
      const tokens = all.map(({ token }) => token)
      const missing = [...asked].filter((nodeId) => {
        const answers = challenges.answersOf(nodeId)
        return !tokens.every((token) => answers.has(token))
      })
      const waitingFor = missing.filter(
        (nodeId) => waitedMs < (isConnected(nodeId) ? SILENT_MS : AWAY_MS),
      )
      if (waitingFor.length > 0) {
        const away = waitingFor.filter((nodeId) => !isConnected(nodeId)).length
        const reason = reasonOf(waitingFor.length, away)
        return { ready: false, waitingFor, reason, waitMs }
      }
      // Nobody at all: the CA would find nothing, and count it.
      if (missing.length === asked.size) {
        const reason = 'None of the nodes that serve these names answers'
        return { ready: false, waitingFor: missing, reason, waitMs: most }
      }
      return { ready: true, without: missing }
    },
    async cleanUp(order, all) {
      since.delete(order)
      line.delete(order)
      challenges.remove(all.map(({ token }) => token))
    },
  }
}

function reasonOf(waiting: number, away: number): string {
  const nodes = waiting === 1 ? 'A node that serves' : `${waiting} nodes that serve`
  const verb = waiting === 1 ? 'does' : 'do'
  const of = away === 0 ? '' : away === waiting ? ', and not connected' : `, ${away} not connected`
  return `${nodes} these names ${verb} not answer for the CA yet${of}`
}
