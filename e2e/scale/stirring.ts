// SPDX-License-Identifier: MIT
// Something happens in the farm every 100 ms: a node's label says when, so that a page shows how old it is.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../../control-api/test/durability/session.ts'
import { CONFIG, groupName } from './farm.ts'

export type Stir = 'group' | 'config' | 'rollout'
export const EVENT_EVERY_MS = 100
/** The label that is the time of the change, in milliseconds. */
export const BEAT = 'beat'

type Stirred = { session: Session; changing: string; rollout: string }
type Change = () => Promise<unknown>

/** Until `signal` says so. Returns how many changes there were. */
export async function stir(
  farm: Stirred,
  stirs: readonly Stir[],
  signal: AbortSignal,
): Promise<number> {
  const changes = [nodeChange(farm), ...stirs.map((kind) => others[kind](farm))]
  let count = 0
  for (let due = performance.now(); !signal.aborted; due += EVENT_EVERY_MS) {
    for (const change of changes) await change()
    count += changes.length
    await sleep(Math.max(0, due + EVENT_EVERY_MS - performance.now()))
  }
  return count
}

function nodeChange({ session, changing }: Stirred): Change {
  return tagged(session, 'PATCH', `/nodes/${changing}`, () => ({
    labels: { zone: 'north', rack: '0', [BEAT]: String(Date.now()) },
  }))
}

/** With the ETag of the answer before. */
function tagged(session: Session, method: string, path: string, body: () => unknown): Change {
  let etag: string | null = null
  return async () => {
    etag ??= (await session.must('GET', path)).etag
    const answer = await session.ask(method, path, body(), { 'if-match': etag ?? '' })
    etag = answer.status < 300 ? answer.etag : null
  }
}

const others: Record<Stir, (farm: Stirred) => Change> = {
  group: ({ session }) => {
    const path = `/groups/${groupName(1)}`
    const same = { selector: 'rack=1', config: null, mergePatch: {}, forgetAfterHours: null }
    return tagged(session, 'PUT', path, () => ({ ...same, description: String(Date.now()) }))
  },
  config: ({ session }) => {
    const path = `/configs/${CONFIG}/draft`
    return tagged(session, 'PUT', path, () => ({ text: `{ "listen": [] } // ${Date.now()}` }))
  },
  rollout: ({ session, rollout }) => {
    let known: Record<string, unknown> | null = null
    return async () => {
      known ??= (await session.must('GET', `/rollouts/${rollout}`)).body
      const { stateVersion, state } = known
      const action = state === 'paused' ? 'resume' : 'pause'
      const path = `/rollouts/${rollout}/actions/${action}`
      const { status, body } = await session.ask('POST', path, { stateVersion })
      known = status < 300 ? body : null
    }
  },
}
