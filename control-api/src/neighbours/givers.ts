// SPDX-License-Identifier: MIT
// Who gives which releases, and to how many at the moment. In memory: after a start nodes say it anew.
import { createHash } from 'node:crypto'

export type Giver = {
  nodeId: string
  zone: string
  address: string
  keySha256: string
  /** Who takes from it now. */
  takers: Set<string>
  /** Somebody did not reach it, or it was slow. */
  restsUntilMs: number
}
/** `holds`: manifests of whole trees. */
export type Giving = { zone: string; address: string; keySha256: string; holds: readonly string[] }
/** Of one manifest in one zone, in the order in which they had it. */
type Holders = Map<string, string[]>

const NOBODY: readonly string[] = []

export class Givers {
  readonly #givers = new Map<string, Giver & { holds: string[] }>()
  /** By manifest, then by zone. */
  readonly #holders = new Map<string, Holders>()

  get(nodeId: string): Giver | undefined {
    return this.#givers.get(nodeId)
  }

  all(): IterableIterator<Giver> {
    return this.#givers.values()
  }

  /** How many releases it gives. */
  holdsOf(nodeId: string): number {
    return this.#givers.get(nodeId)?.holds.length ?? 0
  }

  set(nodeId: string, { zone, address, keySha256, holds }: Giving): void {
    const before = this.#givers.get(nodeId)
    this.remove(nodeId)
    const { takers = new Set<string>(), restsUntilMs = 0 } = before ?? {}
    const giver = { nodeId, zone, address, keySha256, takers, restsUntilMs, holds: [] }
    this.#givers.set(nodeId, giver)
    for (const manifest of holds) this.add(nodeId, manifest)
  }

  /** It has another certificate, or stands in another zone. */
  change(nodeId: string, { zone, keySha256 }: Pick<Giving, 'zone' | 'keySha256'>): void {
    const giver = this.#givers.get(nodeId)
    if (!giver || (giver.zone === zone && giver.keySha256 === keySha256)) return
    const { address, holds } = giver
    this.set(nodeId, { zone, keySha256, address, holds })
  }

  remove(nodeId: string): void {
    for (const manifest of [...(this.#givers.get(nodeId)?.holds ?? [])]) this.drop(nodeId, manifest)
    this.#givers.delete(nodeId)
  }

  /** It has that one whole now. */
  add(nodeId: string, manifest: string): void {
    const giver = this.#givers.get(nodeId)
    if (!giver || giver.holds.includes(manifest)) return
    const zones: Holders = this.#holders.get(manifest) ?? new Map()
    this.#holders.set(manifest, zones)
    zones.set(giver.zone, [...(zones.get(giver.zone) ?? NOBODY), nodeId])
    giver.holds.push(manifest)
  }

  drop(nodeId: string, manifest: string): void {
    const giver = this.#givers.get(nodeId)
    const zones = this.#holders.get(manifest)
    if (!giver || !zones) return
    giver.holds = giver.holds.filter((one) => one !== manifest)
    const left = (zones.get(giver.zone) ?? NOBODY).filter((one) => one !== nodeId)
    if (left.length > 0) zones.set(giver.zone, left)
    else zones.delete(giver.zone)
    if (zones.size === 0) this.#holders.delete(manifest)
  }

  /** Each begins elsewhere, at the same place every time: so not all ask the same ones. `zone` null: of all zones. */
  *holding(manifest: string, zone: string | null, takerId: string): Generator<Giver> {
    const zones = this.#holders.get(manifest)
    const ids = zone === null ? [...(zones?.values() ?? [])].flat() : (zones?.get(zone) ?? NOBODY)
    const from = ids.length > 1 ? placeOf(`${takerId} ${manifest}`) % ids.length : 0
    for (let i = 0; i < ids.length; i++) {
      const giver = this.#givers.get(ids[(from + i) % ids.length] ?? '')
      if (giver) yield giver
    }
  }
}

const placeOf = (text: string) => createHash('sha256').update(text).digest().readUInt32BE()
