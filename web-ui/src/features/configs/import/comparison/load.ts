// SPDX-License-Identifier: MIT
import { numberLocale } from '../../../../languages/language.ts'
import { DASH } from '../../../../lib/format.ts'

const fourDigits = new Intl.NumberFormat(numberLocale, { maximumFractionDigits: 4 })

/** Never rounded up to what was wished: 99.9999 % is not 100 %, here as in farmctl. */
export const shareText = (part: number, whole: number): string =>
  whole === 0 ? DASH : `${fourDigits.format(Math.floor((1e6 * part) / whole) / 1e4)} %`
