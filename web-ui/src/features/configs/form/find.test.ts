// SPDX-License-Identifier: MIT
// The search over the node's own schema: what people type for an option leads to it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SchemaNode } from '../schema-walk.ts'
import { find, optionsOf, sentenceWith } from './find.ts'

const nodeDir = join(import.meta.dirname, '../../../../../server-c')
const schema = JSON.parse(readFileSync(join(nodeDir, 'config.schema.json'), 'utf8')) as SchemaNode

const site = { hosts: ['a.example'], root: '/srv' }
const search = (typed: string, config: object = { sites: [site] }) =>
  find(optionsOf(schema, config), typed)
const pointers = (typed: string, config?: object) =>
  search(typed, config).map(({ pointer }) => pointer)

describe('an option is found', () => {
  test.each([
    ['by what the form calls it', 'Host names', '/sites/0/hosts'],
    ['by its name in the text', 'tryFiles', '/sites/0/tryFiles'],
    ['in any case', 'MAXFILEBYTES', '/fileCache/maxFileBytes'],
    ['by its name with the names around it', 'compression.levels.br', '/compression/levels/br'],
    ['by a word of its part and one of its own', 'file cache open', '/fileCache/maxOpenFiles'],
    ['by a part of a word', 'ompressio', '/compression'],
    ['in the plural by the singular', 'event loop', '/workers'],
    ['in the singular by the plural', 'error logs', '/errorLog'],
    ['by words of its help', 'load balancer', '/listen/-'],
    ['by the name that lighttpd has for it', 'server.follow-symlink', '/sites/0/symlinks'],
    ['with blanks around', '  workers ', '/workers'],
  ])('%s: %s', (_, typed, pointer) => {
    expect(pointers(typed)[0]).toBe(pointer)
  })

  test('by each word that was typed, not by one of them', () => {
    expect(pointers('compression zebra')).toEqual([])
  })

  test('not by letters that only stand in this order', () => {
    expect(pointers('wrkrs')).toEqual([])
  })

  test('before others where it is called just so, and they stay in the list', () => {
    const found = pointers('redirects')
    expect(found[0]).toBe('/sites/0/redirects')
    expect(pointers('redirect')[0]).toBe('/sites/0/redirects')
    expect(found).toContain('/sites/0/redirectFile')
  })

  test('before its like where the text has it', () => {
    const sites = [site, { ...site, hosts: ['b.example'], redirects: [] }]
    expect(pointers('redirects', { sites }).slice(0, 2)).toEqual([
      '/sites/1/redirects',
      '/sites/0/redirects',
    ])
  })

  test('of the site whose host was typed as well', () => {
    const sites = [site, { ...site, hosts: ['b.example'] }]
    expect(pointers('symlinks b.example', { sites })).toEqual(['/sites/1/symlinks'])
  })
})

describe('an option of a rule leads', () => {
  const withRules = (count: number) => ({
    sites: [{ ...site, redirects: Array(count).fill({ match: '^/a', to: '/b' }) }],
  })
  test.each([
    [0, '/sites/0/redirects/-'],
    [1, '/sites/0/redirects/0/match'],
    [2, '/sites/0/redirects'],
  ])('with %d rules to %s', (count, pointer) => {
    expect(pointers('redirects match', withRules(count))[0]).toBe(pointer)
  })

  test('without a site to where one is added', () => {
    expect(pointers('symlinks', {})).toEqual(['/sites/-'])
  })
})

test('nothing that is typed finds nothing', () => {
  expect(search(' ')).toEqual([])
})

test('a text of another kind where an object belongs is searched like an empty one', () => {
  expect(pointers('headBytes', { limits: 3, sites: 'none' })[0]).toBe('/limits/headBytes')
})

test.each([
  ['where its names do not say why it was found', 'server.follow-symlink', 'lighttpd: server'],
  ['and its first where they do', 'workers', 'Event loops, each a thread'],
])('its help is told by the sentence with the word, %s', (_, typed, begins) => {
  const [found] = search(typed)
  expect(found && sentenceWith(found, typed)).toMatch(new RegExp(`^${begins}`))
})
