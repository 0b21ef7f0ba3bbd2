// SPDX-License-Identifier: MIT
// Tells the metrics store of which sums each node is a part: of its group's, and of those of the versions that it ran last.
// Its rows say generations, and what a generation is, only control.db knows.
import { inSlices, nextTurn } from '../../base/slices.ts'
import type { MetricsStore } from '../../metrics-store/metrics-store.ts'
import type { Membership } from '../../metrics-store/roll-up.ts'
import { groupSum, versionSum } from '../../metrics-store/subjects.ts'

type Member = {
  id: string
  group: string
  running: { config: string; version: number; generation: number } | null
}
type Deps = {
  members: () => Promise<readonly Readonly<Member>[]>
  metrics: Pick<MetricsStore, 'setMemberships' | 'onNewWindows'>
  onError: (error: unknown) => void
}

/** Shorter than what a step waits before it is added up. */
const LOOK_EVERY_MS = 10_000
/** Of each node: windows that are late may be of the ones before. */
const VERSIONS_KEPT = 4
/** Nodes that are compared between two turns of the loop. */
const AT_ONCE = 1_000

export function startMemberships({ members, metrics, onError }: Deps) {
  const told = new Map<string, Membership>()

  async function tellNews(): Promise<void> {
    // Others have their turn between, and the list may be one that changes.
    const all = [...(await members())]
    const news: [string, Membership | null][] = []
    const here = new Set<string>()
    for (const some of inSlices(all, AT_ONCE)) {
      for (const member of some) {
        here.add(member.id)
        const before = told.get(member.id)
        const after = membershipOf(member, before)
        if (after !== before) news.push([member.id, after])
      }
      await nextTurn()
    }
    for (const id of told.keys()) if (!here.has(id)) news.push([id, null])
    await metrics.setMemberships(news)
    for (const [id, membership] of news) {
      if (membership) told.set(id, membership)
      else told.delete(id)
    }
  }

  let looking = Promise.resolve()
  const look = (): Promise<void> => {
    looking = looking.then(tellNews).catch(onError)
    return looking
  }
  // Where nothing is measured there is nothing to add up.
  let isWanted = false
  const stopListening = metrics.onNewWindows((nodeIds) => {
    isWanted = true
    // Until its group is known, what it does counts in the farm alone (totals.ts).
    if (nodeIds.some((id) => !told.has(id))) void look()
  })
  const timer = setInterval(() => {
    if (!isWanted) return
    isWanted = false
    void look()
  }, LOOK_EVERY_MS)
  timer.unref()
  return {
    look,
    stop(): Promise<void> {
      clearInterval(timer)
      stopListening()
      return looking
    },
  }
}

/** The same object: nothing is new. */
function membershipOf({ group, running }: Member, before: Membership | undefined): Membership {
  const sum = groupSum(group)
  const groups = before?.groups[0] === sum ? before.groups : [sum]
  const versions = withVersion(running, before?.versions ?? [])
  return before?.groups === groups && before.versions === versions ? before : { groups, versions }
}

function withVersion(running: Member['running'], before: Membership['versions']) {
  if (!running) return before
  const { config, version, generation } = running
  const sum = versionSum(config, version)
  if (before.some((one) => one.generation === generation && one.sum === sum)) return before
  const others = before.filter((one) => one.generation !== generation)
  return [...others, { generation, sum }].slice(-VERSIONS_KEPT)
}
