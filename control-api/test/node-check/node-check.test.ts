// SPDX-License-Identifier: MIT
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createNodeCheck } from '../../src/node-check/node-check.ts'
import { program } from './program.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'farmstead-node-check-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe('the check by the node binary', () => {
  it('gives the digest of a good text and hands the text over whole', async () => {
    const check = createNodeCheck({
      binary: program(dir, `cat > ${dir}/got; echo '{"ok":true,"digest":"sha256:00","errors":[]}'`),
    })
    const text = `// ${'é'.repeat(300_000)}\n{}`
    expect(await check(text)).toEqual({ verdict: 'good', digest: 'sha256:00' })
    expect(readFileSync(join(dir, 'got'), 'utf8')).toBe(text)
  })

  it('gives the errors of a bad one', async () => {
    const error = '{"pointer":"/a","line":1,"column":2,"code":"unknown_key","message":"no"}'
    const check = createNodeCheck({
      binary: program(
        dir,
        `cat >/dev/null; echo '{"ok":false,"digest":null,"errors":[${error}]}'; exit 1`,
      ),
    })
    expect(await check('{"a":1}')).toMatchObject({
      verdict: 'bad',
      errors: [{ pointer: '/a', line: 1, endLine: 1, hint: '' }],
    })
  })

  it.each([
    ['crashes', 'kill -SEGV $$', 'SIGSEGV'],
    ['does not end', 'exec sleep 30', 'within 300 ms'],
    ['talks nonsense', 'echo hello', 'does not know'],
    ['says good without a digest', `echo '{"ok":true,"errors":[]}'`, 'does not know'],
    ['says bad without an error', `echo '{"ok":false,"errors":[]}'; exit 1`, 'does not know'],
    ['does not stop talking', 'yes', 'more than'],
    ['does not know the option', 'exit 2', 'exit code 2'],
  ])('never passes a text when the binary %s', async (_, script, why) => {
    const result = await createNodeCheck({ binary: program(dir, script), timeoutMs: 300 })('{}')
    expect(result.verdict).toBe('unavailable')
    expect(result.verdict === 'unavailable' && result.message).toContain(why)
  })

  it('says which binary is missing and what to do', async () => {
    const binary = join(dir, 'nowhere')
    const result = await createNodeCheck({ binary })('{}')
    expect(result).toEqual({
      verdict: 'unavailable',
      message: `${binary} does not exist; build farmstead-node, or point FARMSTEAD_NODE_BINARY at it`,
    })
  })

  it('runs two at a time, and turns away what it could not get to', async () => {
    const binary = program(
      dir,
      `mkdir ${dir}/$$; ls -d ${dir}/*/ | wc -l >> ${dir}/most; sleep 0.05; rmdir ${dir}/$$; echo '{"ok":true,"digest":"x","errors":[]}'`,
    )
    const check = createNodeCheck({ binary, queueLength: 6 })
    const results = await Promise.all(Array.from({ length: 9 }, () => check('{}')))
    expect(results.map((r) => r.verdict)).toEqual([...Array(8).fill('good'), 'unavailable'])
    const running = readFileSync(join(dir, 'most'), 'utf8').trim().split('\n').map(Number)
    expect(Math.max(...running)).toBeLessThanOrEqual(2)
  })
})

const built = new URL('../../../server-c/build/release/farmstead-node', import.meta.url).pathname
describe.skipIf(!existsSync(built))('the real binary', () => {
  it('refuses an unknown option by name', async () => {
    const check = createNodeCheck({ binary: built })
    expect(await check('{"lisen": []}')).toMatchObject({
      verdict: 'bad',
      errors: expect.arrayContaining([
        expect.objectContaining({ pointer: '/lisen', code: 'unknown_key' }),
      ]),
    })
  })
})
