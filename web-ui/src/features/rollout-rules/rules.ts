// SPDX-License-Identifier: MIT
// The rules as they are typed, and what is wrong with them.
import { t } from '../../languages/t.ts'
import type { RolloutRules } from '../../lib/api-types.ts'

export type ChangeWindow = RolloutRules['windows'][number]
export type Day = ChangeWindow['days'][number]
/** The id is of the row on the screen. */
export type WindowDraft = ChangeWindow & { id: number }
export type RulesDraft = {
  approvals: string
  approvalHours: string
  windows: WindowDraft[]
  timeZone: string
  /** '': none. */
  blastBudget: string
}

export const dayNames = {
  mon: t('Mon'),
  tue: t('Tue'),
  wed: t('Wed'),
  thu: t('Thu'),
  fri: t('Fri'),
  sat: t('Sat'),
  sun: t('Sun'),
} satisfies Record<Day, string>
export const days = Object.keys(dayNames) as Day[]

let newestId = 0
export const newWindow = (): WindowDraft => ({
  id: ++newestId,
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '09:00',
  to: '17:00',
})

export function draftOf(rules: RolloutRules): RulesDraft {
  const { approvals, approvalHours, windows, timeZone, blastBudget } = rules
  return {
    approvals: String(approvals),
    approvalHours: String(approvalHours),
    windows: windows.map((window) => ({ ...window, id: ++newestId })),
    timeZone,
    blastBudget: blastBudget === null ? '' : String(blastBudget),
  }
}

export type FieldErrors = Partial<Record<'approvals' | 'approvalHours' | 'blastBudget', string>> & {
  /** By the row's id. */
  windows: ReadonlyMap<number, string>
}
export type Reading = { ok: true; rules: RolloutRules } | { ok: false; errors: FieldErrors }

const WHOLE = /^\d{1,6}$/

export function readRules(draft: RulesDraft): Reading {
  const { approvals, approvalHours, windows, timeZone, blastBudget } = draft
  const wrong = new Map(windows.flatMap((window) => windowTrouble(window) ?? []))
  const errors: FieldErrors = {
    ...(!WHOLE.test(approvals) && { approvals: t('Enter a whole number, as in 1.') }),
    ...(!WHOLE.test(approvalHours) && { approvalHours: t('Enter a whole number, as in 24.') }),
    ...(blastBudget !== '' &&
      !/^[1-9]\d{0,5}$/.test(blastBudget) && {
        blastBudget: t('Enter a whole number from 1 on, or leave it empty.'),
      }),
    windows: wrong,
  }
  if (Object.keys(errors).length > 1 || wrong.size > 0) return { ok: false, errors }
  return {
    ok: true,
    rules: {
      approvals: Number(approvals),
      approvalHours: Number(approvalHours),
      windows: windows.map(({ id: _, ...window }) => window),
      timeZone,
      blastBudget: blastBudget === '' ? null : Number(blastBudget),
    },
  }
}

function windowTrouble({ id, days: chosen, from, to }: WindowDraft): [[number, string]] | null {
  if (chosen.length === 0) return [[id, t('Choose at least one day.')]]
  return from === '' || to === '' ? [[id, t('Enter both times.')]] : null
}

/** A window that closes before it opens goes over midnight. */
export const windowWords = ({ from, to }: Pick<ChangeWindow, 'from' | 'to'>): string =>
  to <= from ? t('until the day after') : ''

/** What the browser knows, and what is set, should it know no such name. */
export function timeZonesWith(current: string): string[] {
  const known = ['UTC', ...Intl.supportedValuesOf('timeZone')]
  return [...new Set([...known, current])].toSorted()
}
