// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { givenVersions, noteReleased } from '../../src/certificates/store.ts'
import { build } from '../helper.ts'
import { makeChain } from './make.ts'

test('of two rollouts that overlap the older version is not what new nodes get', async () => {
  const { admin, services } = await build()
  const put = async (url: string, more: object) => {
    const { chain, key } = await makeChain(['shop.example'])
    const headers = { 'if-match': '*' }
    const answer = await admin.inject({
      method: 'POST',
      url,
      headers,
      payload: { chain, key, ...more },
    })
    expect(answer.statusCode, answer.body).toBe(201)
  }
  await put('/api/v1/certificates', { name: 'shop' })
  for (let i = 0; i < 2; i += 1) await put('/api/v1/certificates/shop/versions', {})
  const proved = async () => (await givenVersions(services.db, ['shop'], 'proved'))[0]?.version
  const ends = (version: number) =>
    services.write(({ trx }) => noteReleased(trx, [{ name: 'shop', version }]))
  for (const [version, then] of [
    [1, 1],
    [3, 3],
    [2, 3],
  ] as const) {
    await ends(version)
    expect(await proved()).toBe(then)
  }
})
