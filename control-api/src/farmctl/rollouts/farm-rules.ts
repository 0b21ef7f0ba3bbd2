// SPDX-License-Identifier: MIT
// What holds for every rollout of the farm, as it is typed and shown. Pure.
import type { RolloutRules } from '../api-types.ts'
import { Failure } from '../failures.ts'

export type RulesFlags = {
  approvals?: string
  approvalHours?: string
  window?: string[]
  timeZone?: string
  blastBudget?: string
}
type Window = RolloutRules['windows'][number]
type Day = Window['days'][number]

const DAYS: readonly Day[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const NONE = 'none'

/** What is not said stays. */
export function changedRules(rules: RolloutRules, flags: RulesFlags): RolloutRules {
  const { approvals, approvalHours, window: windows, timeZone, blastBudget } = flags
  return {
    approvals: approvals === undefined ? rules.approvals : readNumber('--approvals', approvals),
    approvalHours:
      approvalHours === undefined
        ? rules.approvalHours
        : readNumber('--approval-hours', approvalHours),
    windows: windows === undefined ? rules.windows : readWindows(windows),
    timeZone: timeZone ?? rules.timeZone,
    blastBudget: blastBudget === undefined ? rules.blastBudget : readBudget(blastBudget),
  }
}

export function rulesLines(rules: RolloutRules): string[] {
  const { approvals, approvalHours, windows, timeZone, blastBudget } = rules
  return [
    `Approvals: ${approvals === 0 ? NONE : `${approvals}, within ${approvalHours} h`}`,
    `Change windows: ${windows.length === 0 ? 'always' : windows.map(windowText).join(', ')} (${timeZone})`,
    `Blast budget of the farm: ${blastBudget === null ? 'no limit' : `${blastBudget} nodes`}`,
  ]
}

const readBudget = (text: string) => (text === NONE ? null : readNumber('--blast-budget', text))

function readNumber(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Failure(`${flag}: "${text}" is no number.`)
}

const readWindows = (texts: readonly string[]): Window[] =>
  texts.filter((text) => text !== NONE).map(readWindow)

/** "mon-fri 22:00-04:00", "sat,sun 00:00-00:00": until the day after, where the end is not later. */
export function readWindow(text: string): Window {
  const [, which = '', from = '', to = ''] =
    /^([a-z,-]+) (\d\d:\d\d)-(\d\d:\d\d)$/.exec(text.trim()) ?? []
  const days = which.split(',').flatMap(daysOf)
  if (from !== '' && days.length > 0 && !days.includes(null)) {
    return { days: DAYS.filter((day) => days.includes(day)), from, to }
  }
  throw new Failure(
    `--window: "${text}" is no window. As in "mon-fri 22:00-04:00" or "sat,sun 10:00-18:00"; or "none".`,
  )
}

/** "fri-mon" goes over the week's end. null: no day's name. */
function daysOf(range: string): (Day | null)[] {
  const [first = '', last = first] = range.split('-')
  const [from, to] = [indexOf(first), indexOf(last)]
  if (from < 0 || to < 0) return [null]
  const count = ((to - from + DAYS.length) % DAYS.length) + 1
  return Array.from({ length: count }, (_, at) => DAYS[(from + at) % DAYS.length] ?? null)
}

const indexOf = (word: string) => (DAYS as readonly string[]).indexOf(word)

const windowText = ({ days, from, to }: Window) => `${days.join(',')} ${from}-${to}`
