// SPDX-License-Identifier: MIT
// The setting as it is typed, and what is wrong with it.

import { t } from '../../languages/t.ts'
import type { NeighbourSettings } from '../../lib/api-types.ts'

export type NeighboursDraft = {
  /** '': off. */
  zoneLabel: string
  acrossZones: boolean
  /** In MB a second. '': any. */
  rate: string
  atOnce: string
}
export type FieldErrors = Partial<Record<'zoneLabel' | 'rate' | 'atOnce', string>>
export type Reading = { ok: true; settings: NeighbourSettings } | { ok: false; errors: FieldErrors }

const MB = 1_000_000
/** Those that one gives to share it, and leave one that is too slow. */
const LEAST = 4 * MB

export const draftOf = (settings: NeighbourSettings): NeighboursDraft => ({
  zoneLabel: settings.zoneLabel ?? '',
  acrossZones: settings.acrossZones,
  rate: settings.maxBytesPerSecond === null ? '' : String(settings.maxBytesPerSecond / MB),
  atOnce: String(settings.atOnce),
})

export function readDraft({ zoneLabel, acrossZones, rate, atOnce }: NeighboursDraft): Reading {
  const bytes = Math.round(Number(rate) * MB)
  const errors: FieldErrors = {
    ...(zoneLabel !== '' &&
      !/^[a-z][a-z0-9_.-]{0,62}$/.test(zoneLabel) && {
        zoneLabel: t('Enter the key of a label, as in zone, or leave it empty.'),
      }),
    ...(rate !== '' &&
      !(/^\d{1,7}(\.\d{1,20})?$/.test(rate) && bytes >= LEAST) && {
        rate: t('Enter a number from 4 on, as in 20, or leave it empty.'),
      }),
    ...(!/^[1-8]$/.test(atOnce) && { atOnce: t('Enter a whole number from 1 to 8.') }),
  }
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  return {
    ok: true,
    settings: {
      zoneLabel: zoneLabel === '' ? null : zoneLabel,
      acrossZones,
      maxBytesPerSecond: rate === '' ? null : bytes,
      atOnce: Number(atOnce),
    },
  }
}
