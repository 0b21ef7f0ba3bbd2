// SPDX-License-Identifier: MIT
// The simulation's short names and the real ones, both ways.
import { sha256 } from '../../src/base/ids.ts'
import { nameOf } from './kinds.ts'

const DIGITS = 26

export class Words {
  readonly #real = new Map<string, string>()
  readonly #ours = new Map<string, string>()

  add(ours: string, real: string): void {
    this.#real.set(ours, real)
    this.#ours.set(real, ours)
  }

  nodeId = (name: string) => `node_${name.slice(1).padStart(DIGITS, '0')}`
  nodeName = (id: string) => nameOf(Number(id.slice('node_'.length)))
  ours = (real: string) => this.#ours.get(real) ?? real
  rolloutId = (ours: string) => this.#real.get(ours) ?? `rollout_${'0'.repeat(DIGITS)}`
  /** Of another control plane: one that this one has never heard of. */
  offerId = (ours: string) => this.#real.get(ours) ?? `offer_${'0'.repeat(DIGITS)}`

  digest(ours: string): string {
    const known = this.#real.get(ours)
    if (known) return known
    const real = `sha256:${sha256(ours)}`
    this.add(ours, real)
    return real
  }

  incarnation(ours: string): string {
    const real = sha256(ours).slice(0, 32)
    this.add(ours, real)
    return real
  }

  /** The real thing in our words. */
  translate<T>(value: T): T {
    const text = JSON.stringify(value) ?? 'null'
    const known = /(?:rollout|offer)_[0-9a-z]{26}|sha256:[0-9a-f]{64}|[0-9a-f]{32}|node_\d{26}/g
    return JSON.parse(
      text.replace(known, (one) =>
        one.startsWith('node_') ? this.nodeName(one) : (this.#ours.get(one) ?? one),
      ),
    )
  }
}
