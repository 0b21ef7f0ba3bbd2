// SPDX-License-Identifier: MIT
// Gathers the evidence of rollouts that wait for it, and tells the engine. Measurements are read outside the
// transaction: a verdict carries the wave it is of, and comes again a few seconds later. Where too little was
// measured and the order says what to fetch, has nodes fetch it.
import { inSlices, nextTurn } from '../../../base/slices.ts'
import type { Reader } from '../../../db/database.ts'
import type { ProbeOrder } from '../../../fleet/probe-orders.ts'
import type { Metrics } from '../../../metrics-store/metrics.ts'
import { distributionsOf } from '../gates/distributions.ts'
import {
  answersOf,
  findIll,
  type InParts,
  idsOf,
  judgeWaveInParts,
  type Measured,
  namesOf,
  type Side,
  silentOf,
} from '../gates/evidence.ts'
import { MAX_GAP_SECONDS, withSilent } from '../gates/gates.ts'
import { probedWithinMs, whatToProbe } from '../gates/probing.ts'
import { isHeldByGate, type Rollout } from '../reducer/model.ts'
import type { PlannedRelease } from '../shapes/release-schema.ts'
import { nodesThatCan } from '../store/nodes.ts'
import type { Loaded } from '../store/rollouts.ts'
import type { Engine } from './engine.ts'
import type { Looks } from './looks.ts'
import type { PathWatches } from './path-watches.ts'

type Deps = {
  db: Reader
  now: () => number
  isConnected: (nodeId: string) => boolean
  engine: Pick<Engine, 'gated' | 'evaluated' | 'ill'>
  samplesOf: Metrics['samples']
  heardOf: Metrics['heardOf']
  probe: (nodeId: string, order: ProbeOrder) => void
  looks: Pick<Looks, 'ask' | 'lookedOf' | 'keepOnly'>
  pathWatches: Pick<PathWatches, 'ask' | 'keepOnly'>
  reportEveryMs: number
}
type Both = { canary: Side; control: Side }
/** In time of that wave's soak, which begins anew when it is watched anew. */
type Probed = { wave: number; fromMs: number; untilMs: number }

export function createEvaluator(deps: Deps) {
  const { db, now, isConnected, engine, samplesOf, heardOf, probe, reportEveryMs } = deps
  const { looks, pathWatches } = deps
  /** By rollout: what nodes were asked to fetch last. */
  const probed = new Map<string, Probed>()

  async function judge({ row, rollout }: Loaded, measured: Measured): Promise<void> {
    const { id } = row
    const found = await inTurns(judgeWaveInParts(id, rollout, measured))
    if (!found) return
    const { canary, control, judged } = found
    const silent = silentOf(canary.tasks, await heardAmong(idsOf(canary.tasks)))
    const { onFail, ...evidence } = withSilent(judged, namesOf(silent))
    // What it paused for stays to be read: that it is quiet or unclear now says nothing against it. Resume asks anew.
    const { hold } = rollout.progress
    if (hold?.kind === 'gate_failed' && evidence.verdict !== 'fail') return
    if (isHeldByGate(rollout.progress) && evidence.verdict === 'no_data') return
    const { wave } = rollout.progress
    const isSilence = evidence.message !== judged.message
    const distributions = distributionsOf(canary.group, control.group)
    const said = { wave, onFail, evidence, distributions, ...(isSilence && { silent }) }
    await engine.evaluated(id, said)
    await pathWatches.ask(id, rollout, { canary: canary.tasks, control: control.tasks })
    if (await look(id, row, rollout, { canary, control })) return
    await askForMore(id, rollout, { canary, control })
  }

  /** True: nodes are answering, and a second order would end the first. */
  async function look(
    id: string,
    { releases }: Loaded['row'],
    rollout: Rollout,
    { canary, control }: Both,
  ): Promise<boolean> {
    const { state, progress } = rollout
    if (state !== 'running' || isUnderWay(probed.get(id), progress)) return false
    const planned: PlannedRelease[] = JSON.parse(releases)
    return await looks.ask(id, rollout, { canary: canary.tasks, control: control.tasks }, planned)
  }

  async function heardAmong(nodeIds: readonly string[]): Promise<Set<string>> {
    const heard = new Set<string>()
    for (const some of inSlices(nodeIds, NODES_AT_A_TIME)) {
      for (const nodeId of heardOf(some, MAX_GAP_SECONDS)) heard.add(nodeId)
      await nextTurn()
    }
    return heard
  }

  async function askForMore(
    id: string,
    { state, policy, progress }: Rollout,
    { canary, control }: Both,
  ): Promise<void> {
    if (policy.probes.length === 0 || state !== 'running') return
    if (isUnderWay(probed.get(id), progress)) return
    const able = await nodesThatCan(db, id, 'probes')
    const sideOfThose = ({ tasks, group }: Side) => ({
      nodeIds: idsOf(tasks).filter((one) => isConnected(one) && able.has(one)),
      requests: answersOf(group.samples, 'responses5xx').whole,
    })
    const [ours, theirs] = [sideOfThose(canary), sideOfThose(control)]
    const { minSamples, probes } = policy
    const wanted = whatToProbe({ canary: ours, control: theirs, minSamples, reportEveryMs })
    if (!wanted) return
    const { nodeIds, count, perSecond } = wanted
    const { wave, soakedMs } = progress
    const untilMs = soakedMs + probedWithinMs(wanted, reportEveryMs)
    probed.set(id, { wave, fromMs: soakedMs, untilMs })
    for (const nodeId of nodeIds) probe(nodeId, { count, perSecond, paths: [...probes] })
  }

  return {
    async evaluate(): Promise<void> {
      const gated = await engine.gated()
      const ids = new Set(gated.map(({ row }) => row.id))
      for (const id of probed.keys()) if (!ids.has(id)) probed.delete(id)
      looks.keepOnly((id) => ids.has(id))
      pathWatches.keepOnly((id) => ids.has(id))
      for (const loaded of gated) {
        const { row, rollout } = loaded
        const measured = { nowMs: now(), samplesOf, isConnected, lookedOf: looks.lookedOf }
        for (const ill of await inTurns(findIll(rollout, measured))) await engine.ill(row.id, ill)
        await judge(loaded, measured)
      }
    },
  }
}

/** Each reads some windows of a node. */
const NODES_AT_A_TIME = 50

/** With a turn of the loop between the parts. */
async function inTurns<T>(parts: InParts<T>): Promise<T> {
  for (;;) {
    const { done, value } = parts.next()
    if (done) return value
    await nextTurn()
  }
}

const isUnderWay = (last: Probed | undefined, { wave, soakedMs }: Rollout['progress']) =>
  last !== undefined && last.wave === wave && last.fromMs <= soakedMs && soakedMs < last.untilMs
