// SPDX-License-Identifier: MIT
// What a rule says: advice, or why it has none.
import type { Interval } from '../../../metrics-store/bootstrap.ts'
import type { Advice, Figure } from '../schema.ts'

export type Verdict = { advice: Omit<Advice, 'rule'> } | { quiet: string }

type Bound = { atLeast?: number; atMost?: number }
type Named = { name: string; label: string; unit: Figure['unit'] } & Bound

export const drawn = (named: Named, { value, low, high }: Interval): Figure => ({
  ...withBounds(named),
  ...{ value, low, high },
})

export const plain = (named: Named, value: number): Figure => ({
  ...withBounds(named),
  ...{ value, low: null, high: null },
})

const withBounds = ({ atLeast, atMost, ...named }: Named) => ({
  ...named,
  atLeast: atLeast ?? null,
  atMost: atMost ?? null,
})
