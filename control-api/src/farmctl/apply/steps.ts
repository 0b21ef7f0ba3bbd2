// SPDX-License-Identifier: MIT
// What an apply would do, one step a thing: said first, done then.
import type { Kind } from './manifests.ts'

export type Step = {
  kind: Kind
  name: string
  file: string | null
  /** kept: it should go, and can't. absent: it has a file, and is not there to be changed. */
  action: 'create' | 'update' | 'delete' | 'none' | 'kept' | 'absent'
  /** Unified lines. */
  diff: string[]
  /** Whom it touches, and what to know of it. */
  notes: string[]
  /** Says what was done. null: nothing is to be. */
  run: (() => Promise<string>) | null
}

export const unchanged = (kind: Kind, name: string, file: string): Step => ({
  kind,
  name,
  file,
  action: 'none',
  diff: [],
  notes: [],
  run: null,
})

const SIGNS: Record<Step['action'], string> = {
  create: '+',
  update: '~',
  delete: '-',
  none: '=',
  kept: '!',
  absent: '?',
}
const WORDS: Record<Step['action'], string> = {
  create: 'create',
  update: 'change',
  delete: 'remove',
  none: 'no change',
  kept: 'kept',
  absent: 'not there',
}

export function describeSteps(steps: readonly Step[], paint: (line: string) => string): string[] {
  return [
    ...steps.flatMap(({ action, kind, name, diff, notes }) => [
      `${SIGNS[action]} ${kind} ${name}: ${WORDS[action]}`,
      ...diff.map((line) => `    ${paint(line)}`),
      ...notes.map((note) => `    ${note}`),
    ]),
    summaryOf(steps),
  ]
}

function summaryOf(steps: readonly Step[]): string {
  const counted = (['create', 'update', 'delete', 'kept', 'absent', 'none'] as const)
    .map((action) => ({ action, count: steps.filter((step) => step.action === action).length }))
    .filter(({ count }) => count > 0)
    .map(({ action, count }) => `${count} ${WORDS[action]}`)
  return `Plan: ${counted.join(', ') || 'nothing'}.`
}

export const viewStep = ({ run: _, ...step }: Step) => step
