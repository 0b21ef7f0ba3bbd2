// SPDX-License-Identifier: MIT
// Asks nodes for files of the releases that a rollout brings, while a wave soaks: each node with the version, and a few
// without it for the same files. In memory: after a restart, or when a wave is watched anew, they are asked anew.
import type { Reader } from '../../../db/database.ts'
import type { OnProbed, ProbeOrder } from '../../../fleet/probe-orders.ts'
import { type SampledFile, type SampleOf, urlPathOf } from '../../../release-store/sample.ts'
import { isLookedAt } from '../gates/gates.ts'
import type { Looked, LookedFile, NodeLook } from '../gates/looks.ts'
import type { Rollout, Task } from '../reducer/model.ts'
import type { PlannedRelease } from '../shapes/release-schema.ts'
import { nodesThatCan, textsOfNodes } from '../store/nodes.ts'
import { hostsOfReleases } from './release-hosts.ts'

type Deps = {
  db: Reader
  isConnected: (nodeId: string) => boolean
  sampleOf: SampleOf
  probe: (nodeId: string, order: ProbeOrder, onProbed: OnProbed) => void
  monotonicMs: () => number
}
type Sides = { canary: readonly Task[]; control: readonly Task[] }
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
type File = SampledFile & { name: string; number: number }

/** As many an order may have. */
const MOST_FILES = 20
const PER_SECOND = 20
/** Of those without the version. */
const MOST_CONTROL = 3
/** With each look, which are some seconds apart. */
const NODES_AT_A_TIME = 50
/** What has not been answered by then is asked again. */
const AGAIN_AFTER_MS = 60_000

export type Looks = ReturnType<typeof createLooks>

export function createLooks({ db, isConnected, sampleOf, probe, monotonicMs }: Deps) {
  const looks = new Map<string, Look>()

  function begin(id: string, { progress: { wave, soakedMs } }: Rollout): Look {
    const known = looks.get(id)
    if (known && known.wave === wave && known.soakedMs <= soakedMs) {
      known.soakedMs = soakedMs
      return known
    }
    const none = { nothing: null, unableNodes: 0, canary: new Map(), control: new Map() }
    const look: Look = { wave, soakedMs, ...none }
    looks.set(id, look)
    return look
  }

  /** Of each release that is new its part, the more of them, the fewer of each. */
  async function filesOf(id: string, wave: number, releases: readonly PlannedRelease[]) {
    const files: File[] = []
    const seed = [...id].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) | 0, wave)
    const some = releases.slice(0, MOST_FILES)
    for (const { name, number, manifest, before } of some) {
      const most = Math.floor(MOST_FILES / some.length)
      const asked = { manifest, before: before?.manifest ?? null, seed, most }
      for (const one of (await sampleOf(asked)) ?? []) files.push({ ...one, name, number })
    }
    return files
  }

  async function askSome(id: string, tasks: readonly Task[], into: Look['canary'], files: File[]) {
    if (tasks.length === 0) return
    const { textOf, texts } = await textsOfNodes(
      db,
      id,
      tasks.map(({ nodeId }) => nodeId),
    )
    const hosts = new Map([...texts].map(([textId, text]) => [textId, hostsOfReleases(text)]))
    for (const { nodeId, nodeName } of tasks) {
      const hostOf = hosts.get(textOf.get(nodeId) ?? '')
      const shown = files.filter(({ name }) => hostOf?.has(name))
      const asked: Asked = {
        ...{ nodeName, answers: shown.length === 0 ? [] : null, atMs: monotonicMs() },
        files: shown.map((file) => lookedFile(file, hostOf?.get(file.name) ?? null)),
      }
      into.set(nodeId, asked)
      if (shown.length === 0) continue
      const paths = shown.map(({ name, path }) => {
        const host = hostOf?.get(name)
        return { ...(host && { host }), path: urlPathOf(path) }
      })
      probe(nodeId, { count: paths.length, perSecond: PER_SECOND, paths }, (answers) => {
        if (into.get(nodeId) === asked) into.set(nodeId, { ...asked, answers })
      })
    }
  }

  const isDue = (one: Asked | undefined) =>
    !one || (one.answers === null && monotonicMs() - one.atMs >= AGAIN_AFTER_MS)

  return {
    /** As far as they have answered. null: no gate wants to know. */
    lookedOf(id: string, rollout: Rollout): Looked | null {
      if (!rollout.policy.gates.some(({ metric }) => isLookedAt(metric))) return null
      const { canary, control, unableNodes, nothing } = begin(id, rollout)
      return {
        ...{ unableNodes, nothing },
        ...{ canary: [...canary.values()], control: [...control.values()] },
      }
    },

    /** True: some have been asked, and have not answered yet. */
    async ask(
      id: string,
      rollout: Rollout,
      { canary, control }: Sides,
      planned: readonly PlannedRelease[],
    ): Promise<boolean> {
      if (!rollout.policy.gates.some(({ metric }) => isLookedAt(metric))) return false
      const look = begin(id, rollout)
      const releases = planned.filter(({ manifest, before }) => manifest !== before?.manifest)
      if (releases.length === 0) {
        look.nothing = 'the rollout brings no other version of a release'
        return false
      }
      const able = await nodesThatCan(db, id, 'probeAnswers')
      const isThere = ({ nodeId }: Task) => isConnected(nodeId) && able.has(nodeId)
      look.unableNodes = canary.filter(({ nodeId }) => !able.has(nodeId)).length
      const inWave = new Set(canary.map(({ nodeId }) => nodeId))
      for (const nodeId of look.canary.keys()) if (!inWave.has(nodeId)) look.canary.delete(nodeId)
      // Each that is able counts, whether it has been asked yet or not.
      for (const { nodeId, nodeName } of canary) {
        if (!able.has(nodeId) || look.canary.has(nodeId)) continue
        const never = { files: [], answers: null, atMs: Number.NEGATIVE_INFINITY }
        look.canary.set(nodeId, { nodeName, ...never })
      }
      const due = canary.filter((task) => isThere(task) && isDue(look.canary.get(task.nodeId)))
      const others = control.filter((task) => isThere(task) && !inWave.has(task.nodeId))
      const few = others.slice(0, MOST_CONTROL)
      const dueOthers = few.filter((task) => isDue(look.control.get(task.nodeId)))
      if (due.length + dueOthers.length > 0) {
        const files = await filesOf(id, look.wave, releases)
        await askSome(id, due.slice(0, NODES_AT_A_TIME), look.canary, files)
        await askSome(id, dueOthers, look.control, files)
      }
      const awaited = [...look.canary.values(), ...look.control.values()]
      return awaited.some(
        ({ answers, atMs }) => answers === null && monotonicMs() - atMs < AGAIN_AFTER_MS,
      )
    },

    /** Of rollouts that are over nothing is kept. */
    keepOnly(isUnderWay: (id: string) => boolean): void {
      for (const id of looks.keys()) if (!isUnderWay(id)) looks.delete(id)
    },
  }
}

const lookedFile = ({ name, number, path, sha256 }: File, host: string | null): LookedFile => ({
  ...{ sha256, release: `${name}@${number}` },
  url: `${host ?? ''}${urlPathOf(path)}`,
  key: `${name}:${path}`,
})
