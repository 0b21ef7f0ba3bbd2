// SPDX-License-Identifier: MIT
// expect(farmPage.row('edge-1')).toShowState('In sync'): the words of a state as an operator reads them, in
// a row, a panel or the head of a screen; `because`: with the sentence that gives the reason.
import type { ExpectMatcherState, Locator } from '@playwright/test'
import { lookUntil } from './wait.ts'

/** Longer than a confirmed apply on a busy machine, shorter than a test. */
const SHOWN_WITHIN_MS = 20_000
/** It may be gone since it was counted. */
const READ_WITHIN_MS = 1000

type Options = { because?: RegExp; timeout?: number }

export async function toShowState(
  this: ExpectMatcherState,
  place: Locator,
  state: string,
  { because, timeout = SHOWN_WITHIN_MS }: Options = {},
) {
  let words = 'nothing'
  const look = async () => {
    if ((await place.count()) !== 1) return `is there ${await place.count()} times`
    const text = await place.innerText({ timeout: READ_WITHIN_MS }).catch(() => '')
    words = text.replaceAll(/\s+/g, ' ')
    const shown = place.getByText(state, { exact: true }).filter({ visible: true })
    if ((await shown.count()) === 0) return `does not show "${state}"`
    return because === undefined || because.test(words) ? '' : `does not say ${because}`
  }
  const wrong = await lookUntil(look, { withinMs: timeout, isNot: this.isNot })
  return {
    pass: wrong === '',
    message: () => `${place} ${wrong || `shows "${state}", and should not`}. It says: ${words}`,
  }
}
