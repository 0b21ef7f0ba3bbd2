// SPDX-License-Identifier: MIT
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Finding } from '../../../../lib/api-types.ts'
import { requestsOf } from './differing.ts'
import { codesOf, explanationsOf } from './explaining.ts'

const finding = (line: number, code: string, verdict: Finding['verdict'] = 'different') => ({
  ...{ file: '/etc/nginx/shop', line, column: 1, directive: 'server { … }', verdict },
  notes: [{ code, text: `About ${code}.` }],
})
const differing = (path: string, ...aspects: string[]) => {
  const differences = aspects.map((aspect) => ({ path, aspect, old: '200', new: '404' }))
  const [request] = requestsOf({ differences })
  if (!request) throw new Error('nothing differs')
  return request
}
const codes = (request: ReturnType<typeof differing>, findings: Finding[]) =>
  explanationsOf(request, findings).map(({ code, findings: of }) => [code, of.length])

test('notes of the kind that differs, what is lost first, each once with its places', () => {
  const findings = [
    ...[finding(1, 'own-answers'), finding(2, 'own-answers')],
    ...[finding(3, 'expires-header'), finding(4, 'application', 'unsupported')],
  ]
  expect(codes(differing('/a', 'status'), findings)).toEqual([
    ['application', 1],
    ['own-answers', 2],
  ])
  expect(codes(differing('/a', 'cache-control'), findings)).toEqual([['expires-header', 1]])
  expect(codes(differing('/a', 'status'), [])).toEqual([])
})

test('hidden files explain hidden files alone', () => {
  const findings = [finding(1, 'hidden-files')]
  expect(codes(differing('/a/.env', 'status'), findings)).toEqual([['hidden-files', 1]])
  expect(codes(differing('/a', 'status'), findings)).toEqual([])
  expect(codes(differing('/.well-known/x', 'status'), findings)).toEqual([])
})

test('each code is one that an importer says', () => {
  const importers = join(
    import.meta.dirname,
    '../../../../../../control-api/src/features/importers',
  )
  const sources = readdirSync(importers, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(importers, path), 'utf8'))
    .join('\n')
  const named = Object.values(codesOf).flatMap((list) => list.split(' '))
  expect(named.filter((code) => !sources.includes(`'${code}'`))).toEqual([])
})
