// SPDX-License-Identifier: MIT
// What a rule would have said of one subject, look by look. Pure.
import { next, type Open, type Standing, type Times } from './rules.ts'

export type Look = { atSeconds: number; standing: Standing; value: number | null }
/** An alert as it would have been; in Unix seconds. */
export type Spell = {
  pendingSeconds: number
  /** null: it was over before it fired. */
  firingSeconds: number | null
  /** null: it still is. */
  overSeconds: number | null
  worst: number | null
}

export function replay(
  looks: readonly Look[],
  times: Times,
  worse: (a: number | null, b: number | null) => number | null,
): { spells: Spell[]; isFiring: boolean[] } {
  const spells: Spell[] = []
  const isFiring: boolean[] = []
  let open: Open | null = null
  let spell: Spell | null = null
  for (const { atSeconds, standing, value } of looks) {
    const nowMs = atSeconds * 1000
    const change = next(open, standing, times, nowMs)
    if (change.to === 'pending' || (change.to === 'firing' && open === null)) {
      spell = { pendingSeconds: atSeconds, firingSeconds: null, overSeconds: null, worst: value }
      spells.push(spell)
      open = { state: 'pending', pendingAtMs: nowMs, clearSinceMs: null, isWithoutData: false }
    }
    if (spell && standing === 'bad') spell.worst = worse(spell.worst, value)
    if (change.to === 'firing' && spell && open) {
      spell.firingSeconds = atSeconds
      open = { ...open, state: 'firing' }
    } else if (change.to === 'noted' && open) {
      open = { ...open, clearSinceMs: change.clearSinceMs, isWithoutData: change.isWithoutData }
    } else if (change.to === 'dropped' || change.to === 'resolved') {
      if (spell) spell.overSeconds = atSeconds
      open = null
      spell = null
    }
    isFiring.push(open?.state === 'firing')
  }
  return { spells, isFiring }
}
