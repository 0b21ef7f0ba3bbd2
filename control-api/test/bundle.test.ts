// SPDX-License-Identifier: MIT
// What is bundled is whole: docs/decisions/0185.
import { existsSync, globSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { bundle } from '../bundle.ts'
import { CONTROL_PLANE, newDatabase, newFolder } from './metrics-store/postgres/replica.ts'
import { isOnPostgres } from './postgres.ts'
import { PROGRAMS } from './programs.ts'

const here = resolve(import.meta.dirname, '..')
const built = dirname(realpathSync(PROGRAMS.server))
const text = (path: string) => readFileSync(path, 'utf8')
const files = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.js'),
)

test('every thread that the sources begin has a program', () => {
  const sources = globSync('src/**/*.ts', { cwd: here }).map((name) => text(join(here, name)))
  const begun = sources.flatMap((source) =>
    [...source.matchAll(/threadProgram\('([^']+)'\)/g)].map(([, path = '']) => path),
  )
  expect(begun.length).toBeGreaterThan(3)
  for (const path of begun) {
    expect(existsSync(join(here, 'src', `${path}.ts`)), path).toBe(true)
    expect(existsSync(join(built, `${path}.js`)), path).toBe(true)
  }
})

test('what is not bundled is installed with the service', () => {
  const { dependencies } = JSON.parse(text(join(here, 'package.json')))
  const outside = new Set<string>()
  for (const name of files) {
    const matches = text(join(built, name)).matchAll(
      /^(?:import|export)\b[^'"\n]*from ["']([^."'][^"']*)["']/gm,
    )
    for (const [, from = ''] of matches) outside.add(from)
  }
  const packages = [...outside]
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
  expect(packages).toContain('better-sqlite3')
  for (const name of packages) expect(dependencies).toHaveProperty(name)
})

test.runIf(isOnPostgres)('the thread of measurements finds its client of PostgreSQL', async () => {
  const record = { url: await newDatabase(), controlPlaneId: CONTROL_PLANE }
  const workerData = { path: join(newFolder(), 'metrics.db'), record }
  const thread = new Worker(join(built, 'metrics-store/worker.js'), { workerData })
  const said = await new Promise((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
  })
  await thread.terminate()
  expect(said).toEqual({ kind: 'ready' })
})

test('what is built stays while nothing changes', async () => {
  expect(await bundle()).toBe(false)
  expect(dirname(realpathSync(PROGRAMS.server))).toBe(built)
})
