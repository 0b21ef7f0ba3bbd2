// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest'
import { createSinceOf } from '../../../src/features/configs/since.ts'
import type { VersionRow } from '../../../src/features/configs/store.ts'

const rule = (name: string) => ({ name, value: '1' })
const site = (host: string, more: object) => ({ hosts: [host], root: '/www', ...more })

/** Versions 1, 2, …: their sites. */
function since(...versions: object[][]) {
  const rows = versions.map((sites, i) => ({
    ...{ config: 'default', number: i + 1, text: JSON.stringify({ sites }) },
    ...{ author: `person-${i + 1}`, created_at_ms: Date.UTC(2026, 0, i + 1) },
  }))
  const sinceOf = createSinceOf(async (_, number) => rows[number - 1] as unknown as VersionRow)
  return async (...pointers: string[]) => {
    const found = await sinceOf({ config: 'default', number: rows.length }, pointers)
    return pointers.map((pointer) => found.get(pointer)?.number ?? null)
  }
}

it('a rule is as old as the first of the versions in a row that have it', async () => {
  const asked = since(
    [site('a.test', { headers: [rule('X-A')] })],
    [site('a.test', { headers: [] })],
    [site('a.test', { headers: [rule('X-A')] })],
    [site('b.test', {}), site('a.test', { headers: [rule('X-B'), rule('X-A')] })],
  )
  expect(await asked('/sites/1/headers/0', '/sites/1/headers/1', '/sites/1/hosts')).toEqual([
    4, 3, 1,
  ])
})

it('an option is as old as its value', async () => {
  const asked = since(
    [site('a.test', { hsts: { maxAgeSeconds: 1 } })],
    [site('a.test', { hsts: { maxAgeSeconds: 2 } })],
    [site('a.test', { hsts: { maxAgeSeconds: 2 } })],
  )
  expect(await asked('/sites/0/hsts', '/sites/0/cors', '/sites/7/hsts', '/listen')).toEqual([
    ...[2, null, null, null],
  ])
})

it('a site with another host is another site', async () => {
  const asked = since([site('old.test', { hsts: 1 })], [site('a.test', { hsts: 1 })])
  expect(await asked('/sites/0/hsts')).toEqual([2])
})

it('no more than fifty versions are looked at, and that is said', async () => {
  const same = [site('a.test', { hsts: 1 })]
  const rows = (number: number) => ({
    ...{ config: 'default', number, text: JSON.stringify({ sites: same }), author: 'ana' },
    created_at_ms: Date.UTC(2026, 0, 1),
  })
  let asked = 0
  const sinceOf = createSinceOf(async (_, number) => {
    asked += 1
    return rows(number) as unknown as VersionRow
  })
  const found = await sinceOf({ config: 'default', number: 400 }, ['/sites/0/hsts'])
  expect(found.get('/sites/0/hsts')).toEqual({
    ...{ number: 350, author: 'ana', at: '2026-01-01T00:00:00.000Z', isOlder: true },
  })
  expect(asked).toBe(51)
})

it('nothing is known of a version that is not there', async () => {
  expect(
    await createSinceOf(async () => undefined)({ config: 'x', number: 1 }, ['/sites/0/root']),
  ).toEqual(new Map())
})
