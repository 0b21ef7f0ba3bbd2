// SPDX-License-Identifier: MIT
import { parse } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { recipeSites } from './recipe-sites.ts'
import {
  type Recipe,
  recipes,
  refusalsOf,
  shadowed,
  type Values,
  valuesOf,
  withRecipe,
} from './recipes.ts'

const TEXT = `{
  // two sites
  "sites": [
    { "hosts": ["a.example.org"], "root": "/srv/a" },
    {
      "hosts": ["b.example.org"], // the other one
      "root": "/srv/b",
      "expires": [
        { "paths": ["/api/**"], "maxAgeSeconds": 5 },
        // all else
        { "maxAgeSeconds": 60 }
      ]
    }
  ]
}
`
const named = (id: string): Recipe => {
  const found = recipes.find((one) => one.id === id)
  if (found === undefined) throw new Error(`there is no recipe ${id}`)
  return found
}
function put(text: string, index: number, id: string, values?: Values): string {
  const sites = recipeSites(text)
  const site = typeof sites === 'string' ? undefined : sites[index]
  if (site === undefined) throw new Error(`there is no site ${index}`)
  const recipe = named(id)
  return withRecipe(text, { index, site: site.value }, recipe, values ?? valuesOf(recipe))
}

describe('a recipe', () => {
  test.each(recipes.map(({ id }) => [id]))('%s only adds to the text, and only once', (id) => {
    for (const index of [0, 1]) {
      const next = put(TEXT, index, id)
      expect(next).not.toBe(TEXT)
      // Each character of before, in its order: nothing is taken away or laid out anew.
      let at = 0
      for (const char of next) if (char === TEXT[at]) at += 1
      expect(at).toBe(TEXT.length)
      expect(put(next, index, id)).toBe(next)
      const [before, after] = [parse(TEXT), parse(next)]
      expect(after.sites[1 - index]).toEqual(before.sites[1 - index])
      expect(after.sites[index]).toMatchObject({ root: before.sites[index].root })
    }
  })

  test('puts what is for some paths before the rule for all, with its comment', () => {
    const next = put(TEXT, 1, 'images')
    expect(next).toContain(`        { "paths": ["/api/**"], "maxAgeSeconds": 5 },
        { "types": ["image/*"], "maxAgeSeconds": 2592000 },
        // all else
        { "maxAgeSeconds": 60 }`)
  })

  test('makes a list where the site has none', () => {
    expect(parse(put(TEXT, 0, 'private-area')).sites[0]).toEqual({
      hosts: ['a.example.org'],
      root: '/srv/a',
      auth: [{ paths: ['/private/**'], realm: 'Private', file: '/etc/farmstead/private.htpasswd' }],
      expires: [{ paths: ['/private/**'], maxAgeSeconds: 0, directives: 'private, no-store' }],
    })
  })

  test('takes what is typed, without blanks around it', () => {
    const next = put(TEXT, 0, 'downloads', { paths: '  *.zip ' })
    expect(parse(next).sites[0].downloads).toEqual([{ paths: ['*.zip'] }])
  })

  test('that would never count says so', () => {
    const app = named('single-page-app')
    const values = valuesOf(app)
    const own = { candidates: ['{path}', '/index.html'] }
    expect(shadowed({}, app, values)).toBeNull()
    expect(shadowed({ tryFiles: [own] }, app, values)).toBeNull()
    expect(shadowed({ tryFiles: [{ candidates: ['/other.html'] }] }, app, values)).toMatch(
      /"tryFiles" for all paths already/,
    )
  })

  test.each([
    ['single-page-app', 'page', 'index.html'],
    ['downloads', 'paths', ''],
    ['downloads', 'paths', 'files/**'],
    ['images', 'days', '0'],
    ['images', 'days', 'a week'],
    ['private-area', 'realm', 'the "inner" circle'],
    ['private-area', 'file', 'passwords'],
  ])('%s refuses as its %s: "%s"', (id, name, typed) => {
    const recipe = named(id)
    expect(refusalsOf(recipe, valuesOf(recipe))).toEqual({})
    expect(Object.keys(refusalsOf(recipe, { ...valuesOf(recipe), [name]: typed }))).toEqual([name])
  })
})

test.each([
  ['{', 'Fix the text first: it is not JSON yet.'],
  ['{}', 'Add a site first.'],
  ['{ "sites": [7] }', 'Fix the sites first: one is no object yet.'],
])('for %s there is no recipe: %s', (text, why) => {
  expect(recipeSites(text)).toBe(why)
})
