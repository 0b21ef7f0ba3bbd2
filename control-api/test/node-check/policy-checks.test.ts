// SPDX-License-Identifier: MIT
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createNodeCheck } from '../../src/node-check/node-check.ts'
import { createPolicyChecks, type PolicyQuestion } from '../../src/node-check/policy-checks.ts'
import { tempDir } from '../helper.ts'

const GOOD = `echo '{"ok":true,"digest":"sha256:00","errors":[]}'`
const answer = (code: string, message: string) =>
  `cat <<END\n{"ok":false,"digest":null,"errors":[{"pointer":"/sites/0/root","line":1,"column":2,"code":"${code}","message":"${message}"}]}\nEND\nexit 1`

/** A program in the binary's place that notes what it was asked: the rules, then the text. */
function checks(script: string, most?: number) {
  const dir = tempDir()
  const folder = join(dir, 'rules')
  mkdirSync(folder)
  const binary = join(dir, 'farmstead-node')
  const note = `cat "$5" - >> ${dir}/asked; echo >> ${dir}/asked`
  writeFileSync(binary, `#!/bin/sh\nPATH=/usr/bin:/bin\n${note}\n${script}\n`)
  chmodSync(binary, 0o755)
  const asked = () =>
    existsSync(join(dir, 'asked'))
      ? readFileSync(join(dir, 'asked'), 'utf8').trim().split('\n')
      : []
  const ask = createPolicyChecks({
    nodeCheck: createNodeCheck({ binary }),
    folder,
    ...(most !== undefined && { most }),
  })
  return { ask, asked, folder }
}
const question = (text: string, rules: string): PolicyQuestion => ({
  text,
  textId: text,
  rules,
  rulesId: rules,
})
const [a, b, c] = [question('A', '1'), question('A', '2'), question('B', '1')]

describe('what owners do not allow', () => {
  test('is asked once for each text and each set of rules, and kept', async () => {
    const { ask, asked, folder } = checks(answer('policy', 'no'))
    const answers = await ask([a, b, c])
    expect(asked()).toEqual(['1A', '2A', '1B'])
    expect(answers.of(b)).toMatchObject([{ pointer: '/sites/0/root', code: 'policy' }])
    const again = await ask([c, a])
    expect(again.of(a)).toEqual(answers.of(a))
    expect(again).toMatchObject({ unavailable: null })
    expect(asked()).toHaveLength(3)
    expect(readdirSync(folder)).toEqual([])
  })

  test('names no file of the control plane’s', async () => {
    const { ask } = checks(answer('policy', 'widen it in $5'))
    const [error] = (await ask([a])).of(a) ?? []
    expect(error?.message).toBe('widen it in its policy file')
  })

  test('is nothing when the binary finds the text good', async () => {
    const { ask } = checks(GOOD)
    const answers = await ask([a])
    expect(answers.of(a)).toEqual([])
    expect(answers.of(b)).toBeUndefined()
  })

  test('is asked so often at a time and no more; the rest the next time', async () => {
    const { ask, asked } = checks(GOOD, 2)
    const first = await ask([a, b, c])
    expect([first.of(b), first.of(c), first.unavailable]).toEqual([[], undefined, null])
    const second = await ask([a, b, c])
    expect(second.of(c)).toEqual([])
    expect(asked()).toHaveLength(3)
  })

  test('is not known when the binary fails, which is not asked for ever and not remembered', async () => {
    const { ask, asked } = checks('exit 2')
    const more = ['C', 'D', 'E', 'F'].map((text) => question(text, '1'))
    const answers = await ask([a, ...more])
    expect(answers.of(a)).toBeUndefined()
    expect(answers.unavailable).toContain('exit code 2')
    expect(asked()).toHaveLength(3)
    await ask([a])
    expect(asked()).toHaveLength(4)
  })

  test('is still known of others when one node’s rules cannot be read', async () => {
    const { ask } = checks(`case "$(cat "$5")" in 2) exit 2;; *) ${GOOD};; esac`)
    const answers = await ask([b, a, c])
    expect([answers.of(b), answers.of(a), answers.of(c)]).toEqual([undefined, [], []])
    expect(answers.unavailable).toContain('exit code 2')
  })

  test('is not known when something else is wrong with the text', async () => {
    const { ask } = checks(answer('syntax', 'a comma is missing'))
    const answers = await ask([a])
    expect(answers.of(a)).toBeUndefined()
    expect(answers.unavailable).toContain('a comma is missing')
  })

  test('is not known when there is no room for the rules, and says where', async () => {
    const nodeCheck = createNodeCheck({ binary: '/nowhere' })
    const ask = createPolicyChecks({ nodeCheck, folder: '/nowhere/at/all' })
    const { of, unavailable } = await ask([a])
    expect(of(a)).toBeUndefined()
    expect(unavailable).toMatch(/^the rules could not be laid into \/nowhere\/at\/all \(ENOENT/)
  })
})
