// SPDX-License-Identifier: MIT
import { chmodSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keepChecks, markOf } from '../../src/node-check/kept-checks.ts'
import { createNodeCheck, type NodeCheckResult } from '../../src/node-check/node-check.ts'
import { createPolicyChecks } from '../../src/node-check/policy-checks.ts'
import { nodeBinary, tempDir } from '../helper.ts'

const GOOD: NodeCheckResult = { verdict: 'good', digest: 'sha256:00' }

/** `answer` is what the binary says; `mark` which one it is. */
function checks(limits = {}) {
  const asked: string[] = []
  const state: { answer: NodeCheckResult; mark: string | null } = { answer: GOOD, mark: 'first' }
  const check = keepChecks(
    async (text, policyFile) => {
      asked.push(policyFile ?? text)
      await Promise.resolve()
      return state.answer
    },
    async () => state.mark,
    limits,
  )
  return { check, asked, state }
}

test('ten thousand nodes with twenty texts are twenty questions, also when asked together', async () => {
  const { check, asked } = checks()
  const texts = Array.from({ length: 10_000 }, (_, i) => `text ${i % 20}`)
  const answers = await Promise.all(texts.map((text) => check(text)))
  expect(new Set(answers)).toEqual(new Set([GOOD]))
  expect(asked).toHaveLength(20)
  for (const text of texts) await check(text)
  expect(asked).toHaveLength(20)
})

test('another binary is asked anew', async () => {
  const { check, asked, state } = checks()
  await check('a')
  state.mark = 'second'
  state.answer = { verdict: 'good', digest: 'sha256:11' }
  expect(await check('a')).toEqual(state.answer)
  state.mark = 'first'
  await check('a')
  expect(asked).toHaveLength(3)
})

test('what was answered while the binary was replaced is not kept', async () => {
  const { check, asked, state } = checks()
  const first = check('a')
  await Promise.resolve()
  state.mark = 'second'
  await first
  await check('a')
  expect(asked).toHaveLength(2)
})

test('what nobody could answer is asked again, and so is all while there is no binary', async () => {
  const { check, asked, state } = checks()
  state.answer = { verdict: 'unavailable', message: 'busy' }
  await check('a')
  state.answer = GOOD
  expect(await check('a')).toEqual(GOOD)
  expect(asked).toHaveLength(2)
  state.mark = null
  await check('a')
  expect(asked).toHaveLength(3)
})

test('is not kept with rules of an owner, nor beyond its bounds', async () => {
  const { check, asked } = checks({ most: 2 })
  await check('a', 'rules')
  await check('a', 'rules')
  expect(asked).toEqual(['rules', 'rules'])
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await check(text)
  expect(asked.slice(2)).toEqual(['a', 'b', 'c', 'b'])
  const small = checks({ mostBytes: 250 })
  for (const text of ['a', 'b', 'c', 'a']) await small.check(text)
  expect(small.asked).toEqual(['a', 'b', 'c', 'a'])
})

test('what is wrong at great length is not kept', async () => {
  const { check, asked, state } = checks()
  const place = { line: 1, column: 1, endLine: 1, endColumn: 2, code: 'type', hint: '' }
  const errors = [{ ...place, pointer: '/a', message: 'x'.repeat(5000) }]
  state.answer = { verdict: 'bad', errors }
  await check('a')
  await check('a')
  expect(asked).toHaveLength(2)
})

test('a program in the binary’s place that is replaced answers at once for itself, with rules and without', async () => {
  const binary = join(tempDir(), 'farmstead-node')
  const put = (digest: string, policy: string) => {
    const said = `{"ok":true,"digest":"sha256:${digest}","errors":[]}`
    const refused = `{"ok":false,"digest":null,"errors":[{"pointer":"/a","line":1,"column":2,"code":"policy","message":"${policy}"}]}`
    const script = `#!/bin/sh\ncase "$4" in --policy) echo '${refused}'; exit 1;; esac\necho '${said}'\n`
    writeFileSync(`${binary}.new`, script)
    chmodSync(`${binary}.new`, 0o755)
    renameSync(`${binary}.new`, binary)
  }
  put('aa', 'of the first')
  const mark = () => markOf(binary)
  const check = keepChecks(createNodeCheck({ binary }), mark)
  const askPolicies = createPolicyChecks({ nodeCheck: check, binaryMark: mark })
  const question = { text: '{}', textId: 't', rules: '{}', rulesId: 'r' }
  const policy = async () => (await askPolicies([question])).of(question)?.[0]?.message
  expect(await check('{}')).toEqual({ verdict: 'good', digest: 'sha256:aa' })
  expect(await policy()).toBe('of the first')
  put('bb', 'of the second')
  expect(await check('{}')).toEqual({ verdict: 'good', digest: 'sha256:bb' })
  expect(await policy()).toBe('of the second')
})

test('of the real one a good text and a bad one are kept as they were said', async () => {
  const check = keepChecks(createNodeCheck({ binary: nodeBinary }), () => markOf(nodeBinary))
  const text = (more: string) => `{ "sites": [{ "hosts": ["*"], "root": "/srv" }]${more} }`
  const ask = async () => [await check(text('')), await check(text(', "x": 1'))]
  const [good, bad] = await ask()
  expect(good).toMatchObject({ verdict: 'good' })
  expect(bad).toMatchObject({ verdict: 'bad', errors: [{ pointer: '/x', code: 'unknown_key' }] })
  const again = await ask()
  expect([again[0] === good, again[1] === bad]).toEqual([true, true])
})
