// SPDX-License-Identifier: MIT
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  languagesIn,
  partsOf,
  readCatalogs,
  upToDate,
  whyNotFitting,
} from '../../scripts/messages/catalogs.ts'
import { readMessages } from '../../scripts/messages/read.ts'
import { languages as offered } from './language.ts'

const src = join(import.meta.dirname, '..')
const found = readMessages(src)
/** Languages whose catalogs may still have messages without a translation. */
const BEING_TRANSLATED: readonly string[] = []

describe('messages in the code', () => {
  it('are literals, and no words for people are anything else', () => {
    expect(found.faults).toEqual([])
    expect(found.messages.size).toBeGreaterThan(2000)
  })

  it('are written in ICU’s notation', () => {
    for (const message of found.messages.keys())
      expect(() => partsOf(message), message).not.toThrow()
  })
})

describe.each(languagesIn(import.meta.dirname))('the catalogs of “%s”', (language) => {
  const { start, rest } = readCatalogs(import.meta.dirname, language)
  const all = Object.entries({ ...start, ...rest })

  it('have each message of the code and no other (npm run messages -w web-ui)', () => {
    const wanted = upToDate({ start, rest }, found)
    expect(Object.keys(start)).toEqual(Object.keys(wanted.start))
    expect(Object.keys(rest)).toEqual(Object.keys(wanted.rest))
  })

  it('take what the messages give', () => {
    const faults = all.flatMap(([message, translation]) => {
      const why = whyNotFitting(message, translation)
      return why === null ? [] : [`“${translation}” for “${message}” ${why}`]
    })
    expect(faults).toEqual([])
  })

  it('are complete', () => {
    const missing = all.filter(([, translation]) => translation === '')
    // Whoever completes it takes it out of the list.
    if (BEING_TRANSLATED.includes(language)) expect(missing.length).toBeGreaterThan(0)
    else expect(missing).toEqual([])
  })

  it('can be chosen', () => {
    expect(Object.keys(offered)).toContain(language)
  })
})
