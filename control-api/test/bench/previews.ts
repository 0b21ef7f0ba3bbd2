// SPDX-License-Identifier: MIT
// What previews of alert rules cost over a large farm's measurements: the API's thread, and others who ask meanwhile. Part of
// `npm run bench -- metrics`.
import { setTimeout as sleep } from 'node:timers/promises'
import { type FarmDeps, farmReader, type Member } from '../../src/features/alerts/look.ts'
import { previewOf } from '../../src/features/alerts/preview.ts'
import type { BurnRate, Measurement } from '../../src/features/alerts/schema.ts'
import { resolveNodes, resolveOne } from '../../src/features/metrics/asked-sets.ts'
import { measureIn } from '../../src/features/metrics/set-routes.ts'
import { type MetricsStore, openMetricsStore } from '../../src/metrics-store/metrics-store.ts'
import { watchTurns } from './turns.ts'

export type Previewed = { what: string; appliesTo: string; condition: Measurement | BurnRate }

const slow = (each: 'node' | 'set', minutes: number): Measurement => ({
  ...{ kind: 'measurement', each, by: 'quantile:total:0.99', comparison: 'above' },
  ...{ threshold: 0.1, windowSeconds: 60 * minutes },
})
/** A window of a prime number of minutes can be looked at in steps of a minute only. */
export const PREVIEWED: Previewed[] = [
  { what: 'each node, 5 min', appliesTo: 'farm', condition: slow('node', 5) },
  { what: 'each node, 59 min', appliesTo: 'farm', condition: slow('node', 59) },
  { what: 'each node, 1 h', appliesTo: 'farm', condition: slow('node', 60) },
  { what: 'the farm, 5 min', appliesTo: 'farm', condition: slow('set', 5) },
  { what: 'the farm, 179 min', appliesTo: 'farm', condition: slow('set', 179) },
  { what: 'the farm, a day', appliesTo: 'farm', condition: slow('set', 1440) },
  { what: 'all nodes by label, 15 min', appliesTo: 'nodes:zone=z0', condition: slow('set', 15) },
  {
    what: 'the farm, burn rate of errors',
    appliesTo: 'farm',
    condition: { kind: 'burn-rate', objective: 0.999 },
  },
  {
    what: 'the farm, burn rate of slow ones',
    appliesTo: 'farm',
    condition: { kind: 'burn-rate', objective: 0.99, slowerThanSeconds: 0.05 },
  },
]

const DAYS = 7
const ASKS_EVERY_MS = 20
const MIB = 2 ** 20

/** A farm of such nodes, all of which have the label by which some are asked for. */
export function farmOf(ids: readonly string[]): FarmDeps {
  const members = ids.map((id, i): Member => {
    const node = { id, name: `edge-${i}`, group: 'web', labels: { zone: 'z0' }, running: null }
    return {
      node: { ...node, comesAndGoes: false },
      ...{ state: 'in-sync', connected: true, lastSeenAtMs: 0 },
    }
  })
  return {
    members: async () => members,
    nodesIn: (appliesTo, nodes) => resolveNodes(appliesTo, nodes, null),
    setIn: (appliesTo, nodes) => resolveOne(appliesTo, nodes, null).set,
  }
}

/** How long a short question waits while others are answered: the longest. */
function watchWaits(metrics: MetricsStore): () => Promise<number> {
  let longestMs = 0
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      const begun = performance.now()
      await metrics.totals()
      longestMs = Math.max(longestMs, performance.now() - begun)
      await sleep(ASKS_EVERY_MS)
    }
  })()
  return async () => {
    isOver = true
    await asking
    return longestMs
  }
}

type Asked = { dataDir: string; nowSeconds: number; ids: readonly string[] }

export async function benchPreviews(
  { dataDir, nowSeconds, ids }: Asked,
  say: (line: string) => void,
): Promise<void> {
  const metrics = await openMetricsStore({ dataDir, now: () => nowSeconds * 1000 })
  const readFarm = farmReader(farmOf(ids))
  say(`\nPreviews of rules over ${DAYS} days:`)
  say(
    '| preview | looked at | ms | longest turn of the API’s thread, CPU ms | longest wait of others ms | process MiB | answer KB |\n|---|---|---|---|---|---|---|',
  )
  try {
    for (const { what, appliesTo, condition } of PREVIEWED) {
      const draft = { appliesTo, condition, forSeconds: 300, keepFiringSeconds: 0 }
      const waits = watchWaits(metrics)
      const turns = watchTurns(dataDir)
      const begun = performance.now()
      const farm = await readFarm(nowSeconds * 1000)
      const deps = { metrics, readMeasure: measureIn }
      const found = await previewOf(deps, { draft, farm, days: DAYS })
      const kilobytes = JSON.stringify(found).length / 1000
      const ms = performance.now() - begun
      const { longestCpuMs } = turns()
      const waited = await waits()
      const numbers = [ms, longestCpuMs, waited, process.memoryUsage.rss() / MIB]
      const shown = [...numbers, kilobytes].map((n) => n.toFixed(0)).join(' | ')
      say(`| ${what} | ${found.lookedAt} of ${found.subjects} | ${shown} |`)
    }
  } finally {
    await metrics.close()
  }
}
