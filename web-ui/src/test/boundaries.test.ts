// SPDX-License-Identifier: MIT
// Imports run one way: lib, hooks → components → features → app, routes; features never import each other.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '..')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /\.tsx?$/.test(path) && !/\.(test|gen)\.tsx?$/.test(path) && !path.startsWith('test/'),
)
const layers = ['lib', 'hooks', 'components', 'features', 'app', 'routes']
const heightOf = (path: string) => {
  const layer = path.split('/')[0] ?? ''
  // app and routes are one: the frame names its routes, the routes stand in the frame.
  return Math.min(layers.indexOf(layer), layers.indexOf('app'))
}
const featureOf = (path: string) => (path.startsWith('features/') ? path.split('/')[1] : undefined)

function importsOf(path: string): string[] {
  const text = readFileSync(join(src, path), 'utf8')
  const found = text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)
  return [...found].map(([, target = '']) => relative(src, join(src, dirname(path), target)))
}

test('the sources were found', () => {
  expect(files.length).toBeGreaterThan(80)
})

test.each(files.filter((path) => path !== 'main.tsx'))('%s imports only downwards', (path) => {
  const upwards = importsOf(path).filter((target) => heightOf(target) > heightOf(path))
  expect(upwards).toEqual([])
})

test.each(files.filter((path) => featureOf(path) !== undefined))(
  '%s imports no other feature',
  (path) => {
    const others = importsOf(path).filter(
      (target) => featureOf(target) !== undefined && featureOf(target) !== featureOf(path),
    )
    expect(others).toEqual([])
  },
)

test('only lib/api-client.ts knows the HTTP client', () => {
  const knowing = files.filter((path) =>
    readFileSync(join(src, path), 'utf8').includes("from 'openapi-fetch'"),
  )
  expect(knowing).toEqual(['lib/api-client.ts'])
})

// A chart's table scrolls both ways, in a box of its own.
const ownBoxes = ['components/scroll-box.tsx', 'components/chart/chart-table.tsx']

test.each(files.filter((path) => path.endsWith('.tsx') && !ownBoxes.includes(path)))(
  '%s: a table that may be wider than the window stands in a box that shows it',
  (path) => {
    const text = readFileSync(join(src, path), 'utf8')
    expect(text).not.toContain('"scroll-x"')
    const tables = text.match(/<table\s+className=(?:"grid|\{`grid)/g)?.length ?? 0
    // One with a look of its own holds something else, such as a list.
    const boxes = text.match(/<ScrollBox (?![^>]*className=)/g)?.length ?? 0
    expect(boxes).toBe(tables)
  },
)
