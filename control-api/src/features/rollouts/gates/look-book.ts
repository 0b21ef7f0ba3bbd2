// SPDX-License-Identifier: MIT
// Whom to ask for files of a release, and what they have answered: each node of a wave that soaks, and a few without the
// version. In memory: after a restart, or when a wave is watched anew, they are asked anew. No I/O.
import type { ProbeAnswer } from '../../../fleet/probe-orders.ts'
import type { Rollout, Task } from '../reducer/model.ts'
import { isLookedAt } from './gates.ts'
import type { Looked, LookedFile, NodeLook } from './looks.ts'

export type Sides = { canary: readonly Task[]; control: readonly Task[] }
type Side = keyof Sides
type Asked = NodeLook & { atMs: number }
type Look = {
  wave: number
  /** As it was seen last: less than before is a wave that is watched anew. */
  soakedMs: number
  nothing: string | null
  canary: Map<string, Asked>
  control: Map<string, Asked>
  unableNodes: number
}
type Able = {
  /** Can it say what it answers? */
  isAble: (nodeId: string) => boolean
  isConnected: (nodeId: string) => boolean
}

/** Of those without the version. */
const MOST_CONTROL = 3
/** With each look, which are some seconds apart. */
const NODES_AT_A_TIME = 50
/** What has not been answered by then is asked again. */
const AGAIN_AFTER_MS = 60_000

/** Does one of its gates want to know? */
export const isWanted = ({ policy }: Rollout) =>
  policy.gates.some(({ metric }) => isLookedAt(metric))

export class LookBook {
  readonly #looks = new Map<string, Look>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** As far as they have answered. null: no gate wants to know. */
  lookedOf(id: string, rollout: Rollout): Looked | null {
    if (!isWanted(rollout)) return null
    const { canary, control, unableNodes, nothing } = this.#lookOf(id, rollout)
    return {
      ...{ unableNodes, nothing },
      ...{ canary: [...canary.values()], control: [...control.values()] },
    }
  }

  /** Nobody need be asked: the gates are through. */
  nothingToAsk(id: string, rollout: Rollout, why: string): void {
    this.#lookOf(id, rollout).nothing = why
  }

  /** Who is to be asked now. */
  whomToAsk(id: string, rollout: Rollout, sides: Sides, able: Able): Sides {
    const { isAble, isConnected } = able
    const look = this.#lookOf(id, rollout)
    look.nothing = null
    look.unableNodes = sides.canary.filter(({ nodeId }) => !isAble(nodeId)).length
    const inWave = new Set(sides.canary.map(({ nodeId }) => nodeId))
    for (const nodeId of look.canary.keys()) if (!inWave.has(nodeId)) look.canary.delete(nodeId)
    // Each that is able counts, whether it has been asked yet or not.
    for (const { nodeId, nodeName } of sides.canary) {
      if (!isAble(nodeId) || look.canary.has(nodeId)) continue
      const never = { files: [], answers: null, atMs: Number.NEGATIVE_INFINITY }
      look.canary.set(nodeId, { nodeName, ...never })
    }
    const isThere = ({ nodeId }: Task) => isConnected(nodeId) && isAble(nodeId)
    const others = sides.control.filter((task) => isThere(task) && !inWave.has(task.nodeId))
    const isDue = (of: Side) => (task: Task) => this.#isDue(look[of].get(task.nodeId))
    return {
      canary: sides.canary.filter(isThere).filter(isDue('canary')).slice(0, NODES_AT_A_TIME),
      control: others.slice(0, MOST_CONTROL).filter(isDue('control')),
    }
  }

  /** It has been asked for these; what is returned takes its answers, unless it has been asked again since. */
  asked(
    id: string,
    side: Side,
    { nodeId, nodeName }: Pick<Task, 'nodeId' | 'nodeName'>,
    files: readonly LookedFile[],
  ): (answers: readonly ProbeAnswer[]) => void {
    const into = this.#looks.get(id)?.[side]
    const answers = files.length === 0 ? [] : null
    const asked: Asked = { nodeName, files, answers, atMs: this.#nowMs() }
    into?.set(nodeId, asked)
    return (said) => {
      if (into?.get(nodeId) === asked) into.set(nodeId, { ...asked, answers: said })
    }
  }

  /** Some have been asked, and have not answered yet. */
  isAwaited(id: string): boolean {
    const look = this.#looks.get(id)
    if (!look) return false
    const isOut = ({ answers, atMs }: Asked) =>
      answers === null && this.#nowMs() - atMs < AGAIN_AFTER_MS
    return [...look.canary.values(), ...look.control.values()].some(isOut)
  }

  /** Of rollouts that are over nothing is kept. */
  keepOnly(isUnderWay: (id: string) => boolean): void {
    for (const id of this.#looks.keys()) if (!isUnderWay(id)) this.#looks.delete(id)
  }

  #lookOf(id: string, { progress: { wave, soakedMs } }: Rollout): Look {
    const known = this.#looks.get(id)
    if (known && known.wave === wave && known.soakedMs <= soakedMs) {
      known.soakedMs = soakedMs
      return known
    }
    const none = { nothing: null, unableNodes: 0, canary: new Map(), control: new Map() }
    const look: Look = { wave, soakedMs, ...none }
    this.#looks.set(id, look)
    return look
  }

  #isDue(one: Asked | undefined): boolean {
    return !one || (one.answers === null && this.#nowMs() - one.atMs >= AGAIN_AFTER_MS)
  }
}
