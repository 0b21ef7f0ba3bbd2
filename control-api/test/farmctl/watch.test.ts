// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { FARMCTL_TEST_MS, farmctl, joinNode } from './helper.ts'
import { farmOf } from './rollout-farm.ts'

describe('get --watch', { timeout: FARMCTL_TEST_MS }, () => {
  test('prints what changes until it is interrupted', async () => {
    const { farm } = await farmOf('node-1')
    const { child, out, ended } = farm.start(['get', 'nodes', '--watch', '-o', 'name'])
    await expect.poll(() => out.stdout, { timeout: 120_000 }).toBe('node-1\n')
    await joinNode(farm, 'node-2')
    await expect.poll(() => out.stdout, { timeout: 120_000 }).toMatch(/^node-2$/m)
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
  })

  /** What was forgotten is collected as garbage, and must not take the way out along. */
  test('can be interrupted however long nothing happened', async () => {
    const farm = await farmctl({ asProcess: true })
    const collecting = "setInterval(()=>{gc();process.stderr.write('.')},20).unref()"
    const { child, out, ended } = farm.start(['get', 'users', '--watch', '-o', 'name'], {
      NODE_OPTIONS: `--expose-gc --import=data:text/javascript,${collecting}`,
    })
    await expect.poll(() => out.stdout, { timeout: 120_000 }).toBe('test-admin\n')
    const collections = out.stderr.length
    await expect.poll(() => out.stderr.length, { timeout: 60_000 }).toBeGreaterThan(collections + 5)
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
  })
})
