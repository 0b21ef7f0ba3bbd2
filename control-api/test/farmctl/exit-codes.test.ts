// SPDX-License-Identifier: MIT
// What scripts see of what went wrong.
import { describe, expect, test } from 'vitest'
import { FARMCTL_TEST_MS, farmctl, siteText } from './helper.ts'

describe('exit codes', { timeout: FARMCTL_TEST_MS }, () => {
  test('tell a difference from a failure, when they are asked for', async () => {
    const { run, file } = await farmctl({ asProcess: true })
    await run(['apply', '-f', file('default.jsonc', siteText(8101)), '--yes', '-m', 'First'])
    const codeOf = async (...args: string[]) => (await run(args)).code
    expect(await codeOf('diff', 'default', '1', '1', '--exit-code')).toBe(0)
    file('default.jsonc', siteText(8102))
    expect(await codeOf('apply', '-f', 'default.jsonc', '--dry-run', '--exit-code')).toBe(1)
    expect(await codeOf('diff', 'nowhere', '1', '1', '--exit-code')).toBe(7)
    expect(await codeOf('apply', '-f', 'nowhere.jsonc', '--dry-run', '--exit-code')).toBe(7)
    expect(await codeOf('diff', '--exit-code')).toBe(7)
    expect(await codeOf('diff', 'nowhere')).toBe(1)
    file('default.jsonc', '{')
    expect(await codeOf('apply', '-f', 'default.jsonc', '--dry-run', '--exit-code')).toBe(2)
  })
})

describe('bad usage', { timeout: FARMCTL_TEST_MS }, () => {
  test.each([
    [['get', 'nodes', '--json', '--wibble'], "unknown option '--wibble'"],
    [['get', '-o', 'json'], "missing required argument 'kind'"],
    [['get', 'nodes', '--output=json', '--wibble'], "unknown option '--wibble'"],
    [['--json'], 'Which command? See: farmctl help'],
    [['apply', '--json'], "required option '-f, --file <path>' not specified"],
  ])('is one document when that was asked for: %j', async (args, message) => {
    const { run } = await farmctl({ signedIn: false, asProcess: true })
    const { code, stdout, stderr } = await run(args)
    expect([code, stdout]).toEqual([1, ''])
    expect(JSON.parse(stderr)).toEqual({ error: { exitCode: 1, message } })
  })

  test('is a line for people otherwise', async () => {
    const { run } = await farmctl({ signedIn: false, asProcess: true })
    const { code, stderr } = await run(['get', 'nodes', '--wibble'])
    expect([code, stderr]).toEqual([1, "error: unknown option '--wibble'\n"])
  })
})
