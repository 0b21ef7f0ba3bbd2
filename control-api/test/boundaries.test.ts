// SPDX-License-Identifier: MIT
// Who may import whom, read from the sources themselves.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')
type Import = { from: string; to: string; typeOnly: boolean }

const files = globSync('**/*.ts', { cwd: SRC }).sort()
const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8')
const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm

const imports: Import[] = files.flatMap((file) =>
  [...textOf(file).matchAll(IMPORT)].map(([, type, target = '']) => ({
    from: file,
    to: target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
    typeOnly: type !== undefined,
  })),
)
const featureOf = (file: string) => /^features\/([^/]+)\//.exec(file)?.[1]
const shown = (found: readonly Import[]) => found.map(({ from, to }) => `${from} → ${to}`)

/** Where features are put together, or made into processes. */
const WIRING = new Set([
  'app.ts',
  'admin/program.ts',
  'admin/verify-audit.ts',
  'server.ts',
  'process/services.ts',
  'named-schemas.ts',
])

describe('the sources', () => {
  test('are read: else nothing below means anything', () => {
    expect(files.length).toBeGreaterThan(80)
    expect(imports.length).toBeGreaterThan(300)
    for (const { to } of imports.filter((one) => one.to.endsWith('.ts'))) {
      expect(files).toContain(to)
    }
  })

  test('of a feature import no other feature; rollouts follow the farm’s rules for them', () => {
    const found = imports.filter(({ from, to }) => {
      const [own, other] = [featureOf(from), featureOf(to)]
      const areRules = own === 'rollouts' && other === 'rollout-rules'
      return own !== undefined && other !== undefined && own !== other && !areRules
    })
    expect(shown(found)).toEqual([])
  })

  test('below the features know only their types', () => {
    const found = imports.filter(
      ({ from, to, typeOnly }) =>
        !typeOnly && !featureOf(from) && featureOf(to) !== undefined && !WIRING.has(from),
    )
    expect(shown(found)).toEqual([])
  })

  test('that measure know neither nodes nor features', () => {
    const found = imports.filter(
      ({ from, to }) =>
        /^(metrics-store|histogram)\//.test(from) && /^(agents|features)\//.test(to),
    )
    expect(shown(found)).toEqual([])
  })

  test('know SQLite only where databases are opened, and the environment only where processes begin', () => {
    const sqlite = imports.filter(({ to }) => to === 'better-sqlite3').map(({ from }) => from)
    expect(sqlite).toEqual([
      'db/copy.ts',
      'db/lock.ts',
      'db/open.ts',
      'db/sqlite-dialect.ts',
      'db/statements.ts',
      'metrics-store/open.ts',
    ])
    const code = (file: string) => textOf(file).replaceAll(/^\s*\/\/.*$/gm, '')
    expect(files.filter((file) => code(file).includes('process.env'))).toEqual([
      'environment/config.ts',
      'farmctl/main.ts',
    ])
  })

  test('of farmctl are a client: none of the service’s but what is pure, and nobody’s', () => {
    const PURE = new Set([
      'base/known-environment.ts',
      'base/line-diff.ts',
      'base/nearest-name.ts',
      'labels/selector.ts',
      'base/terminal-text.ts',
      'base/utf8.ts',
    ])
    const isFarmctl = (file: string) => file.startsWith('farmctl/')
    const crossing = imports.filter(
      ({ from, to }) => to.endsWith('.ts') && isFarmctl(from) !== isFarmctl(to) && !PURE.has(to),
    )
    expect(shown(crossing)).toEqual([])
    const impure = imports.filter(({ from, to }) => PURE.has(from) && !PURE.has(to))
    expect(shown(impure)).toEqual([])
  })

  test('import each other in no circle', () => {
    const edges = Map.groupBy(
      imports.filter(({ typeOnly }) => !typeOnly),
      ({ from }) => from,
    )
    const done = new Set<string>()
    const visit = (file: string, path: readonly string[]): void => {
      expect(path, [...path, file].join(' → ')).not.toContain(file)
      if (done.has(file)) return
      for (const { to } of edges.get(file) ?? []) visit(to, [...path, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
  })
})
