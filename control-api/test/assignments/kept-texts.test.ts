// SPDX-License-Identifier: MIT
import { expect, onTestFinished, test } from 'vitest'
import { createKeptTexts } from '../../src/assignments/kept-texts.ts'
import { keepText } from '../../src/assignments/store.ts'
import { openServices } from '../../src/process/services.ts'
import { tempDir } from '../helper.ts'
import { placeOf } from '../postgres.ts'

async function withTexts(texts: Record<string, string>) {
  const services = await openServices(await placeOf(tempDir()))
  onTestFinished(() => services.close())
  await services.write(async ({ trx }) => {
    for (const [id, text] of Object.entries(texts))
      await keepText(trx, { id, text, certificates: [], releases: [] })
  })
  const forget = () => services.db.deleteFrom('rendered_texts').execute()
  return { db: services.db, forget }
}

test('a text is read once, and written into an answer as JSON says it', async () => {
  const text = '{ "a": "é\\n\u2028" } // "quoted"\n'
  const { db, forget } = await withTexts({ one: text })
  const texts = createKeptTexts(db)
  const first = await texts.of('one')
  expect(JSON.parse(JSON.stringify({ text: first.json }))).toEqual({ text })
  expect(first.bytes).toBe(Buffer.byteLength(JSON.stringify(text)))
  await forget()
  expect(await texts.of('one')).toBe(first)
})

test('beyond its bytes the one that was asked for longest ago is let go', async () => {
  const long = 'x'.repeat(1000)
  const { db, forget } = await withTexts({ one: long, two: long, three: long })
  const texts = createKeptTexts(db, 3_200)
  for (const id of ['one', 'two', 'one', 'three']) await texts.of(id)
  await forget()
  await texts.of('one')
  await texts.of('three')
  await expect(texts.of('two')).rejects.toThrow()
})

test('one that is larger than all that may be kept is given all the same', async () => {
  const { db } = await withTexts({ one: 'x'.repeat(1000) })
  const texts = createKeptTexts(db, 100)
  expect((await texts.of('one')).bytes).toBe(1002)
})
