// SPDX-License-Identifier: MIT
// Which versions of releases nodes serve and keep, and who still asks for those that are kept, as their reports say it. In
// memory: each report says all of it, since the start of the node's process.
import type { ReleaseVersion, ReportRequest } from '../agent-protocol/messages.gen.ts'

type Said = {
  served: readonly Pick<ReleaseVersion, 'name' | 'number'>[]
  kept: NonNullable<ReportRequest['keptReleases']>
  /** Since then it counts, by our clock. */
  sinceMs: number
}
export type VersionOnNodes = {
  servedByNodes: number
  keptByNodes: number
  /** Of those that keep it, each since it started. */
  requests: number
  lastRequestMs: number | null
  /** Since then nobody has asked any of those that keep it, as far as they have counted. null: nobody keeps it. */
  quietSinceMs: number | null
}

const NOWHERE: VersionOnNodes = {
  ...{ servedByNodes: 0, keptByNodes: 0, requests: 0 },
  ...{ lastRequestMs: null, quietSinceMs: null },
}

export class KeptReleases {
  readonly #said = new Map<string, Said>()

  /** `keptReleases` left out: it does not count. */
  heard(
    nodeId: string,
    {
      keptReleases,
      effective,
      uptimeMs,
    }: Pick<ReportRequest, 'keptReleases' | 'effective' | 'uptimeMs'>,
    nowMs: number,
  ): void {
    if (keptReleases === undefined) {
      this.#said.delete(nodeId)
      return
    }
    const served = (effective?.releases ?? []).map(({ name, number }) => ({ name, number }))
    // A clock of a node that goes ahead does not make requests of tomorrow.
    const kept = keptReleases.map((one) => ({
      ...one,
      lastRequestMs: one.lastRequestMs === null ? null : Math.min(one.lastRequestMs, nowMs),
    }))
    this.#said.set(nodeId, { served, kept, sinceMs: nowMs - uptimeMs })
  }

  /** The node is gone. */
  forget(nodeId: string): void {
    this.#said.delete(nodeId)
  }

  /** By number, of the nodes that are there and count; with how many these are. */
  of(
    name: string,
    isConnected: (nodeId: string) => boolean,
  ): { countingNodes: number; versionOf: (number: number) => VersionOnNodes } {
    const found = new Map<number, VersionOnNodes>()
    const add = (number: number, change: (before: VersionOnNodes) => Partial<VersionOnNodes>) => {
      const before = found.get(number) ?? NOWHERE
      found.set(number, { ...before, ...change(before) })
    }
    let countingNodes = 0
    for (const [nodeId, { served, kept, sinceMs }] of this.#said) {
      if (!isConnected(nodeId)) continue
      countingNodes++
      for (const one of served)
        if (one.name === name) add(one.number, (all) => ({ servedByNodes: all.servedByNodes + 1 }))
      for (const { name: of, number, requests, lastRequestMs } of kept) {
        if (of !== name) continue
        add(number, (all) => ({
          keptByNodes: all.keptByNodes + 1,
          requests: all.requests + requests,
          lastRequestMs: later(all.lastRequestMs, lastRequestMs),
          quietSinceMs: later(all.quietSinceMs, lastRequestMs ?? sinceMs),
        }))
      }
    }
    return { countingNodes, versionOf: (number) => found.get(number) ?? NOWHERE }
  }
}

const later = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)
