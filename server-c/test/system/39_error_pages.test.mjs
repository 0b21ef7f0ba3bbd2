// SPDX-License-Identifier: MIT
// Error pages by path and by the language that a visitor reads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNode } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const files = {
  'index.html': 'home',
  'errors/404.html': 'not found',
  'errors/de.html': 'nicht gefunden',
  'errors/pt-br.html': 'não encontrado',
  'errors/403.html': 'not for you',
  'api/404.json': '{"error":"no such thing"}',
}

test('pages are chosen by path and language, and caches are told what they depend on', async (t) => {
  const node = await startNode(t, {
    files,
    site: {
      access: [{ action: 'deny', paths: ['/secret/**'] }],
      errorPages: { 404: '/errors/404.html', 403: '/errors/403.html' },
      errorPageRules: [
        { paths: ['/api/**'], pages: { 404: '/api/404.json' } },
        { paths: ['*.html', '/'], languages: ['de'], pages: { 404: '/errors/de.html' } },
        { paths: ['*.html', '/'], languages: ['pt-BR'], pages: { 404: '/errors/pt-br.html' } },
        { paths: ['*.txt'], pages: { 404: '/errors/gone-itself.html' } },
      ],
    },
  })
  const ask = (target, language) =>
    get(node.port, target, { lines: language ? [`Accept-Language: ${language}`] : [] })
  for (const [target, language, text, vary] of [
    ['/none', undefined, 'not found', undefined],
    ['/none.html', undefined, 'not found', 'Accept-Language'],
    ['/none.html', 'de-AT,de;q=0.9,en;q=0.8', 'nicht gefunden', 'Accept-Language'],
    ['/none.html', 'en, pt-br;q=0.2', 'não encontrado', 'Accept-Language'],
    ['/none.html', 'en', 'not found', 'Accept-Language'],
    ['/x/%6eone.html', 'de', 'nicht gefunden', 'Accept-Language'],
    ['/api/x', 'de', files['api/404.json'], undefined],
  ])
    for (let turn = 0; turn < 2; turn++) {
      const answer = await ask(target, language)
      assert.deepEqual([answer.status, answer.text], [404, text], `${target} ${language}`)
      assert.equal(answer.headers.vary, vary, `${target} ${language}`)
    }
  const json = await ask('/api/x')
  assert.equal(json.headers['content-type'], 'application/json')
  assert.equal((await ask('/secret/x.html', 'de')).text, 'not for you')
  const broken = await ask('/none.txt')
  assert.equal(broken.status, 404)
  assert.match(broken.text, /There is nothing at this address/)
  const two = { lines: ['Accept-Language: en', 'Accept-Language: de;q=0.5'] }
  assert.equal((await get(node.port, '/none.html', two)).text, 'nicht gefunden')
  const site = { ...node.config.sites[0], errorPageRules: [] }
  assert.ok(await node.reload({ ...node.config, sites: [site] }))
  assert.equal((await ask('/none.html', 'de')).text, 'not found')
})
