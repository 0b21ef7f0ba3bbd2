// SPDX-License-Identifier: MIT

/** The control plane knows no less and no more: an hour to a year. */
import { t } from '../../languages/t.ts'

const MOST_HOURS = 8760

export type Hours = { ok: true; hours: number | null } | { ok: false; message: string }

/** Empty: never. */
export function parseHours(text: string): Hours {
  const trimmed = text.trim()
  if (trimmed === '') return { ok: true, hours: null }
  const hours = Number(trimmed)
  const isGood = /^\d+$/.test(trimmed) && hours >= 1 && hours <= MOST_HOURS
  if (isGood) return { ok: true, hours }
  return {
    ok: false,
    message: t('A whole number of hours from 1 to {mostHours}, or nothing.', {
      mostHours: MOST_HOURS,
    }),
  }
}

/** One step up or down in the order; null: there is no further. */
export function moved(names: readonly string[], name: string, by: -1 | 1): string[] | null {
  const from = names.indexOf(name)
  const to = from + by
  if (from < 0 || to < 0 || to >= names.length) return null
  return names.toSpliced(from, 1).toSpliced(to, 0, name)
}

type GroupOfRollout = { selector: string; config: string | null }

/** What a rollout to its nodes is filled in with: a config that no other group has goes to them alone, and is released to those that join. */
export function rolloutTo(group: GroupOfRollout, all: readonly GroupOfRollout[]) {
  const { config, selector } = group
  const isAlone = config !== null && all.filter((one) => one.config === config).length === 1
  return { ...(config !== null && { config }), ...(!isAlone && { selector }) }
}
