// SPDX-License-Identifier: MIT
// Wires what decides: which texts are right, who gets which, and the engine that brings them to the nodes.
import type { Assignments } from './assignments/assignments.ts'
import type { Identity } from './control-plane/identity.ts'
import type { Config } from './environment/config.ts'
import { certificateNames } from './features/configs/check/certificate-names.ts'
import { releaseNames } from './features/configs/check/release-check.ts'
import { createValidateAuthors } from './features/configs/check/validate-authors.ts'
import { createValidate, loadConfigSchema } from './features/configs/check/validation.ts'
import { openPreviews } from './features/configs/previews.ts'
import { findVersion, lastReleaseOf, lastReleases } from './features/configs/store.ts'
import type { TextWork } from './features/configs/text-work.ts'
import { createNodeChecks, createReleases, releaseVersion } from './features/configs/versions.ts'
import { readGrouping } from './features/groups/store.ts'
import { createEngine } from './features/rollouts/engine/engine.ts'
import { createEvaluator } from './features/rollouts/engine/evaluator.ts'
import { createLooks } from './features/rollouts/engine/looks.ts'
import { createPathWatches } from './features/rollouts/engine/path-watches.ts'
import { startTicker } from './features/rollouts/engine/ticker.ts'
import { createRollOutCertificate } from './features/rollouts/renewals.ts'
import type { StartDeps } from './features/rollouts/start.ts'
import { nodesThatCan } from './features/rollouts/store/nodes.ts'
import type { Fleet } from './fleet/fleet.ts'
import { WatchOrders } from './fleet/path-watch.ts'
import { ProbeOrders } from './fleet/probe-orders.ts'
import type { Rhythm } from './fleet/rhythm.ts'
import type { App } from './http/app-types.ts'
import type { MetricsStore } from './metrics-store/metrics-store.ts'
import { createAskBinary } from './node-check/ask-binary.ts'
import { keepChecks, markOf } from './node-check/kept-checks.ts'
import { createNodeCheck } from './node-check/node-check.ts'
import { createAskOwners } from './node-check/owners.ts'
import { createPolicyChecks } from './node-check/policy-checks.ts'
import type { Services } from './process/services.ts'
import type { ChangesOf } from './release-store/changes.ts'
import type { SampleOf } from './release-store/sample.ts'

type Deps = {
  config: Pick<Config, 'nodeBinary'>
  services: Pick<Services, 'db' | 'write' | 'now' | 'disk'>
  identity: Pick<Identity, 'recovery'>
  fleet: Pick<Fleet, 'ahead' | 'connections' | 'wake'>
  assignments: Assignments
  metrics: Pick<MetricsStore, 'samples' | 'heardOf' | 'requestRates'>
  work: TextWork
  rhythm: Rhythm
  changesOf: ChangesOf
  sampleOf: SampleOf
  log: App['log']
}

export type Deciding = Awaited<ReturnType<typeof startDeciding>>

export async function startDeciding(deps: Deps) {
  const { config, services, identity, fleet, assignments, metrics, work, rhythm, log } = deps
  const { changesOf, sampleOf } = deps
  const { db, write, now, disk } = services
  const { has: isConnected } = fleet.connections
  const schema = loadConfigSchema()
  const binaryMark = () => markOf(config.nodeBinary)
  const askBinary = createAskBinary({ binary: config.nodeBinary })
  const nodeCheck = keepChecks(
    createNodeCheck({ binary: config.nodeBinary }, askBinary),
    binaryMark,
  )
  const validate = createValidate({
    ...{ examine: work.examine, nodeCheck },
    certificates: certificateNames(db),
    releases: releaseNames(db),
  })
  const validateAuthors = createValidateAuthors(validate, work)
  const askOwners = createAskOwners({
    db,
    askPolicies: createPolicyChecks({ nodeCheck, binaryMark }),
  })
  const releases = createReleases()
  const previews = () => openPreviews({ db, validate, schema, askOwners })
  const onUnrenderable = (nodeId: string) =>
    log.error({ nodeId }, 'the released version cannot be made into a text for this node')
  const engine = createEngine({
    db,
    write,
    now,
    assignments,
    rendererOf: releases.rendererOf,
    errorsForAuthor: releases.errorsForAuthor,
    readGrouping,
    connected: fleet.connections,
    ahead: fleet.ahead,
    isStorageFull: disk.isFull,
    onUnrenderable,
    versionText: async ({ trx }, name, number) =>
      (await findVersion(trx, name, number))?.text ?? null,
    releasedVersion: async ({ trx }, name) => (await lastReleaseOf(trx, name))?.version ?? null,
    release: (unit, released) => releaseVersion(unit, released, now()),
  })
  // What was under way when the backup was made is long over, one way or the other.
  if (identity.recovery) await engine.freezeAll('the restore')
  const samplesOf = metrics.samples
  const probeOrders = new ProbeOrders((nodeId) => fleet.wake(nodeId))
  const watchOrders = new WatchOrders((nodeId) => fleet.wake(nodeId))
  const monotonicMs = () => performance.now()
  const looks = createLooks({
    ...{ db, isConnected, sampleOf, monotonicMs },
    probe: (nodeId, order, onProbed) => probeOrders.give(nodeId, order, onProbed),
  })
  const pathWatches = createPathWatches({
    ...{ isConnected, monotonicMs },
    ableOf: (rolloutId) => nodesThatCan(db, rolloutId, 'pathWatch'),
    watch: (nodeId, order) => watchOrders.give(nodeId, order),
  })
  const evaluator = createEvaluator({
    db,
    now,
    isConnected,
    engine,
    samplesOf,
    heardOf: metrics.heardOf,
    probe: (nodeId, order) => probeOrders.give(nodeId, order),
    ...{ looks, pathWatches },
    reportEveryMs: rhythm.reportEveryMs,
  })
  const stopTicker = startTicker({
    engine,
    rhythm,
    evaluate: evaluator.evaluate,
    onError: (error) =>
      log.error({ err: error }, 'the rollout engine could not look at its deadlines'),
  })
  const orders: StartDeps = {
    db,
    write,
    now,
    engine,
    checkFor: (text, chosen) => createNodeChecks({ db, validate }, text, chosen),
    readGrouping,
    findVersionText: async (name, number) => (await findVersion(db, name, number))?.text ?? null,
    lastReleases: (name, most) => lastReleases(db, name, most),
    ...{ isConnected, changesOf },
    throughputOf: (nodeIds) => metrics.requestRates(nodeIds, 60),
  }
  const rollOut = createRollOutCertificate(orders)
  return {
    ...{
      askBinary,
      schema,
      validateAuthors,
      askOwners,
      releases,
      previews,
      onUnrenderable,
      engine,
    },
    ...{ probeOrders, watchOrders, orders, rollOut, stop: stopTicker },
  }
}
