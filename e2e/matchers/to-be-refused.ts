// SPDX-License-Identifier: MIT
// expect(api.call.POST(…)).toBeRefused({ status: 403, code: 'not_allowed', saying: /Ask/ }): by the API.
// expect(button).toBeRefused({ saying: /needs the permission/ }): the console has it off, and says why in
// words that belong to it, for a screen reader as well.
import type { ExpectMatcherState, Locator } from '@playwright/test'
import { Refused } from '../client/refused.ts'
import { lookUntil } from './wait.ts'

type Refusal = {
  /** Of the API's answer. */
  status?: number
  code?: string
  /** What people read: what is wrong, or what to do. */
  saying?: RegExp
}

/** Of the whole look at a button. */
const SHOWN_WITHIN_MS = 15_000

export async function toBeRefused(
  this: ExpectMatcherState,
  asked: Locator | Promise<unknown>,
  refusal: Refusal = {},
) {
  const wrong = isLocator(asked)
    ? await lookUntil(() => buttonTrouble(asked, refusal), {
        withinMs: SHOWN_WITHIN_MS,
        isNot: this.isNot,
      })
    : await answerTrouble(asked, refusal)
  const what = isLocator(asked) ? `${asked}` : 'the request'
  return {
    pass: wrong === '',
    message: () => `${what} ${wrong || 'is refused just so, and should not be'}`,
  }
}

const isLocator = (asked: object): asked is Locator => 'ariaSnapshot' in asked

async function answerTrouble(asked: Promise<unknown>, refusal: Refusal): Promise<string> {
  const answer = await asked.then(
    () => null,
    (error: unknown) => error,
  )
  if (answer === null) return `was done; expected ${described(refusal)}`
  if (!(answer instanceof Refused)) throw answer
  const isAsExpected =
    (refusal.status ?? answer.status) === answer.status &&
    (refusal.code ?? answer.code) === answer.code &&
    (refusal.saying?.test(answer.detail) ?? true)
  return isAsExpected
    ? ''
    : `was refused otherwise: ${answer.message}; expected ${described(refusal)}`
}

async function buttonTrouble(button: Locator, refusal: Refusal): Promise<string> {
  const found = await button.count()
  if (found !== 1) return found === 0 ? 'is not there' : `is there ${found} times`
  if (await button.isEnabled()) return `can be pressed; expected ${described(refusal)}`
  const reason = await button.evaluate((element) =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(/\s+/)
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' ')
      .trim(),
  )
  if (reason === '') return 'is off, and does not say why'
  if (refusal.saying?.test(reason) ?? true) return ''
  return `is off because "${reason}"; expected ${described(refusal)}`
}

function described({ status, code, saying }: Refusal): string {
  const parts = [status, code, saying && `saying ${saying}`].filter((part) => part !== undefined)
  return parts.length === 0 ? 'a refusal' : `a refusal: ${parts.join(' ')}`
}
