// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { makeChain } from '../certificates/make.ts'
import { FARMCTL_TEST_MS, farmctl } from './helper.ts'

describe('certificates', { timeout: FARMCTL_TEST_MS }, () => {
  test('are uploaded, renewed, shown and removed; a key is printed nowhere', async () => {
    const { run, json, file } = await farmctl()
    const [one, two] = [await makeChain(['shop.example']), await makeChain(['a.example'])]
    const [chain, key] = [file('chain.pem', one.chain), file('key.pem', one.key)]
    const said: string[] = []
    const say = async (...args: string[]) => {
      const result = await run(args)
      said.push(result.stdout, result.stderr)
      return result
    }
    const upload = ['certificates', 'upload', 'shop', '--chain', chain, '--key', key]
    const looked = await say(...upload, '--dry-run')
    expect([looked.code, looked.stdout]).toEqual([
      0,
      expect.stringMatching(/^shop could be kept: shop.example; until /),
    ])
    expect(await json('get', 'certificates')).toEqual({ items: [] })
    const made = await say(...upload)
    expect(made.stdout).toMatch(/^shop has version 1: shop.example/)
    expect(made.stderr).toMatch(/chain\.pem:\d+: the chain ends with .* no root that browsers know/)
    const wrong = await say(
      'certificates',
      'upload',
      'shop',
      '--chain',
      chain,
      '--key',
      file('other.pem', two.key),
    )
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('other.pem:1:1: this key is not the one'),
    ])
    const next = await say(
      'certificates',
      'upload',
      'shop',
      '--chain',
      file('b.pem', two.chain),
      '--key',
      file('b.key', two.key),
    )
    expect(next.stdout).toMatch(/^shop has version 2: a.example/)
    expect(next.stderr).toContain('version 1 was good for shop.example, and this one is not')
    expect((await say('get', 'certificates')).stdout).toMatch(/shop +good +89 +2 +a\.example/)
    expect((await say('get', 'certificate', 'shop', '-o', 'wide')).stdout).toContain(
      'CN=test intermediate',
    )
    expect((await say('certificates', 'versions', 'shop')).stdout.split('\n')).toHaveLength(4)
    expect((await say('certificates', 'served', 'shop')).code).toBe(0)
    expect((await say('certificates', 'remove', 'shop', '--yes')).stdout).toBe('shop is removed.\n')
    for (const { key } of [one, two]) expect(said.join('')).not.toContain(key.split('\n')[1])
  })
})
