// SPDX-License-Identifier: MIT
// Which node gets the version in which wave. Pure.
import type { WaveSize } from '../shapes/schema.ts'

export type WaveNode = {
  id: string
  /** Its share of the farm's throughput, in any unit; null: not measured. */
  throughput: number | null
  /** Nodes of one kind (system, version, capabilities) refuse the same things. */
  kind: string
  /** What fails together; null: not said. */
  domain: string | null
  isConnected: boolean
}

/** One node of each kind first, then shares of what the farm serves. */
export const CAREFUL: readonly WaveSize[] = [
  { eachKind: 1 },
  { throughputPercent: 5 },
  { throughputPercent: 25 },
  { throughputPercent: 100 },
]
/** Below this share of the farm a wave stays within one failure domain. */
const ONE_DOMAIN_BELOW_PERCENT = 25

/** Sizes count from the first wave on; what is left goes with the last. Each list is one wave. */
export function planWaves(nodes: readonly WaveNode[], sizes: readonly WaveSize[]): WaveNode[][] {
  const known = nodes.flatMap(({ throughput }) => throughput ?? [])
  const mean = known.length > 0 ? sum(known) / known.length : 1
  const weightOf = ({ throughput }: WaveNode) => throughput ?? mean
  const taken = new Set<WaveNode>()
  const waves: WaveNode[][] = []
  // Those that are there prove more than those that may come.
  let left = nodes.toSorted((a, b) => Number(b.isConnected) - Number(a.isConnected))
  for (const size of sizes) {
    const wave = 'eachKind' in size ? ofEachKind(left, size.eachKind) : share(left)
    if (wave.length > 0) waves.push(wave)
    for (const node of wave) taken.add(node)
    left = left.filter((node) => !taken.has(node))

    function share(candidates: readonly WaveNode[]): WaveNode[] {
      if (size === sizes.at(-1)) return [...candidates]
      const weigh = 'throughputPercent' in size ? weightOf : () => 1
      const before = nodes.filter((node) => taken.has(node)).map(weigh)
      const wanted = wantedOf(size, nodes.map(weigh))
      const isSmall = wanted * 100 < ONE_DOMAIN_BELOW_PERCENT * sum(nodes.map(weigh))
      return upTo(wanted - sum(before), isSmall ? oneDomain(candidates) : candidates, weigh)
    }
  }
  return waves
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function wantedOf(size: WaveSize, weights: readonly number[]): number {
  if ('nodes' in size) return size.nodes
  const percent =
    'percent' in size ? size.percent : 'throughputPercent' in size ? size.throughputPercent : 0
  return (percent / 100) * sum(weights)
}

/** To the nearest whole node; at least one. */
function upTo(
  wanted: number,
  candidates: readonly WaveNode[],
  weigh: (node: WaveNode) => number,
): WaveNode[] {
  const wave: WaveNode[] = []
  let weight = 0
  for (const node of candidates) {
    if (wave.length > 0 && weight + weigh(node) / 2 > wanted) break
    wave.push(node)
    weight += weigh(node)
  }
  return wave
}

function ofEachKind(candidates: readonly WaveNode[], count: number): WaveNode[] {
  return [...Map.groupBy(candidates, ({ kind }) => kind).values()].flatMap((alike) =>
    alike.slice(0, count),
  )
}

/** The domain that has most of them. */
function oneDomain(candidates: readonly WaveNode[]): WaveNode[] {
  const domains = [...Map.groupBy(candidates, ({ domain }) => domain).values()]
  return domains.toSorted((a, b) => b.length - a.length)[0] ?? []
}
