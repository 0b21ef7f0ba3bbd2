// SPDX-License-Identifier: MIT
// How far back is looked for what changed a site.
import { expect, it } from 'vitest'
import { sitesIn } from '../../../src/features/configs/text/sites.ts'
import { historyOf } from '../../../src/features/sites/history.ts'

const textOf = (root: string, filler = '') =>
  JSON.stringify({ sites: [{ hosts: ['a.example'], root }], filler })

/** Of versions with these roots from 1 on; null: the site is not in it. */
async function changesOf(roots: (string | null)[], filler = '') {
  let read = 0
  const versionOf = async (_config: string, number: number) => {
    const root = roots[number - 1]
    if (root === undefined) return undefined
    read++
    const text = root === null ? '{}' : textOf(root, filler)
    return { number, text, author: 'ana', message: '', created_at_ms: number }
  }
  const found = { config: 'default', newestVersion: roots.length, hosts: ['a.example'] }
  const history = await historyOf({ versionOf, sitesIn: async (text) => sitesIn(text) }, found)
  const changes = history.changes.map(({ number, what }) => `${number} ${what}`)
  return { changes, lookedBackTo: history.lookedBackTo, read }
}

it('ends where the site was added, and knows what was removed', async () => {
  expect(await changesOf(['/a', '/a', null, '/b', '/c', null])).toMatchObject({
    changes: ['6 removed', '5 changed', '4 added'],
    lookedBackTo: null,
  })
  expect(await changesOf(['/a'])).toMatchObject({ changes: ['1 added'], lookedBackTo: null })
})

it('reads at most a hundred versions, and says how far', async () => {
  const { changes, lookedBackTo, read } = await changesOf(Array(300).fill('/a'))
  expect(changes).toEqual([])
  expect(lookedBackTo).toBe(200)
  expect(read).toBe(101)
})

it('names at most ten changes, and reads no more text than it may', async () => {
  const many = Array.from({ length: 30 }, (_, i) => `/${i}`)
  expect(await changesOf(many)).toMatchObject({ lookedBackTo: 20, read: 11 })
  expect((await changesOf(many)).changes).toHaveLength(10)
  const long = await changesOf(Array(30).fill('/a'), 'x'.repeat(3_000_000))
  expect(long.read).toBe(3)
  expect(long.lookedBackTo).toBe(28)
})
