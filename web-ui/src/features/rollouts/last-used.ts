// SPDX-License-Identifier: MIT
// How the last rollout went, kept in this browser: the next one is likely to go the same way.
import { type Choice, draftOf, firstChoice, type Preset, readChoice } from './strategy.ts'

const KEY = 'farmstead.rollout-strategy'
/** All at once is chosen each time anew: a browser may be another person's, and the next version another risk. */
const presets: readonly unknown[] = ['careful', 'custom'] satisfies Preset[]

export function readLastUsed(): Choice {
  try {
    const { preset, strategy } = JSON.parse(localStorage.getItem(KEY) ?? '')
    if (!presets.includes(preset)) return firstChoice()
    const draft = preset === 'custom' ? draftOf(strategy) : firstChoice().draft
    return { preset, draft }
  } catch {
    // Nothing kept, what another build kept, or a browser that keeps nothing.
    return firstChoice()
  }
}

export function keepLastUsed(choice: Choice): void {
  const reading = readChoice(choice)
  if (!reading.ok || choice.preset === 'at-once') return
  // Who is left out is of one version: the next would leave them out unasked.
  const { excludeKinds: _, ...strategy } = reading.strategy
  const kept = JSON.stringify({ preset: choice.preset, strategy })
  try {
    localStorage.setItem(KEY, kept)
  } catch {
    // A browser that keeps nothing: the next plan begins at the first preset.
  }
}
