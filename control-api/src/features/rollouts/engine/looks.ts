// SPDX-License-Identifier: MIT
// Asks nodes for files of the releases that a rollout brings, while a wave soaks: whom, says gates/look-book.ts; for which, a
// sample of the manifests, another one for each wave.
import { seedOf } from '../../../base/seeded-random.ts'
import type { Reader } from '../../../db/database.ts'
import type { OnProbed, ProbeOrder } from '../../../fleet/probe-orders.ts'
import { hostsOfReleases } from '../../../fleet/release-hosts.ts'
import { type SampledFile, type SampleOf, urlPathOf } from '../../../release-store/sample.ts'
import { isWanted, LookBook, type Sides } from '../gates/look-book.ts'
import type { LookedFile } from '../gates/looks.ts'
import type { Rollout } from '../reducer/model.ts'
import type { PlannedRelease } from '../shapes/release-schema.ts'
import { nodesThatCan, textsOfNodes } from '../store/nodes.ts'

type Deps = {
  db: Reader
  isConnected: (nodeId: string) => boolean
  sampleOf: SampleOf
  probe: (nodeId: string, order: ProbeOrder, onProbed: OnProbed) => void
  monotonicMs: () => number
}
type File = SampledFile & { name: string; number: number }
type Hosts = ReturnType<typeof hostsOfReleases>

/** As many an order may have. */
const MOST_FILES = 20
const PER_SECOND = 20

export type Looks = ReturnType<typeof createLooks>

export function createLooks({ db, isConnected, sampleOf, probe, monotonicMs }: Deps) {
  const book = new LookBook(monotonicMs)

  /** Of each release that is new its part: the more of them, the fewer files of each. */
  async function filesOf(id: string, wave: number, releases: readonly PlannedRelease[]) {
    const files: File[] = []
    const seed = seedOf(id, wave)
    const some = releases.slice(0, MOST_FILES)
    const most = Math.floor(MOST_FILES / some.length)
    for (const { name, number, manifest, before } of some) {
      const asked = { manifest, before: before?.manifest ?? null, seed, most }
      for (const one of (await sampleOf(asked)) ?? []) files.push({ ...one, name, number })
    }
    return files
  }

  async function askSide(id: string, side: keyof Sides, sides: Sides, files: readonly File[]) {
    const tasks = sides[side]
    const nodeIds = tasks.map(({ nodeId }) => nodeId)
    const { textOf, texts } = await textsOfNodes(db, id, nodeIds)
    const hostsOf = new Map([...texts].map(([textId, text]) => [textId, hostsOfReleases(text)]))
    for (const task of tasks) {
      const hosts: Hosts = hostsOf.get(textOf.get(task.nodeId) ?? '') ?? new Map()
      const shown = files.filter(({ name }) => hosts.has(name))
      const onProbed = book.asked(id, side, task, shown.map(lookedFile(hosts)))
      if (shown.length === 0) continue
      const paths = shown.map(probedPath(hosts))
      probe(task.nodeId, { count: paths.length, perSecond: PER_SECOND, paths }, onProbed)
    }
  }

  return {
    lookedOf: (id: string, rollout: Rollout) => book.lookedOf(id, rollout),
    keepOnly: (isUnderWay: (id: string) => boolean) => book.keepOnly(isUnderWay),

    /** True: some have been asked, and have not answered yet. */
    async ask(
      id: string,
      rollout: Rollout,
      sides: Sides,
      planned: readonly PlannedRelease[],
    ): Promise<boolean> {
      if (!isWanted(rollout)) return false
      const releases = planned.filter(({ manifest, before }) => manifest !== before?.manifest)
      if (releases.length === 0) {
        book.nothingToAsk(id, rollout, 'the rollout brings no other version of a release')
        return false
      }
      const able = await nodesThatCan(db, id, 'probeAnswers')
      const isAble = (nodeId: string) => able.has(nodeId)
      const due = book.whomToAsk(id, rollout, sides, { isAble, isConnected })
      if (due.canary.length + due.control.length > 0) {
        const files = await filesOf(id, rollout.progress.wave, releases)
        await askSide(id, 'canary', due, files)
        await askSide(id, 'control', due, files)
      }
      return book.isAwaited(id)
    },
  }
}

const lookedFile =
  (hosts: Hosts) =>
  ({ name, number, path, sha256 }: File): LookedFile => ({
    ...{ sha256, release: `${name}@${number}` },
    url: `${hosts.get(name) ?? ''}${urlPathOf(path)}`,
    key: `${name}:${path}`,
  })

const probedPath =
  (hosts: Hosts) =>
  ({ name, path }: File) => {
    const host = hosts.get(name)
    return { ...(host && { host }), path: urlPathOf(path) }
  }
