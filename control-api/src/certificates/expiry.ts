// SPDX-License-Identifier: MIT
// How near an end is, and when it is told. Pure.

export type Lifetime = { fromMs: number; toMs: number }
export type CertificateState = 'good' | 'expiring' | 'expired'

const DAY_MS = 24 * 3600_000
/** Days left at which somebody is told; 0: it has expired. */
export const TOLD_AT = [30, 14, 7, 1, 0] as const

/** A certificate of six days is not to be told of all its life: only what is within the last third of it. */
const isMeant = (days: number, { fromMs, toMs }: Lifetime) => days * DAY_MS <= (toMs - fromMs) / 3

export function stateOf(lifetime: Lifetime, nowMs: number): CertificateState {
  const days = toTell(lifetime, nowMs)
  return days === null ? 'good' : days === 0 ? 'expired' : 'expiring'
}

/** The fewest of TOLD_AT that are reached; null: none is. */
export function toTell(lifetime: Lifetime, nowMs: number): number | null {
  const leftMs = lifetime.toMs - nowMs
  const reached = TOLD_AT.filter((days) => leftMs <= days * DAY_MS && isMeant(days, lifetime))
  return reached.at(-1) ?? null
}
