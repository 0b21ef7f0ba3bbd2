// SPDX-License-Identifier: MIT
// `npm run build -w control-api`: the programs in a few files (dist/current), which start in half of the time that their
// thousand modules take: docs/decisions/0185. Each set of inputs has a folder of its own, and `current` names the newest: a
// service that runs finds the parts that it loads later, whatever is built meanwhile.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const here = import.meta.dirname
const DIST = join(here, 'dist')
/** Older ones may run still. */
const KEPT = 3
const PROGRAMS = {
  server: 'src/server.ts',
  admin: 'src/admin/program.ts',
  farmctl: 'src/farmctl/main.ts',
}
/** They are found by their paths in src: src/base/places.ts. */
const THREADS = [
  'backup/worker',
  'features/configs/text-worker',
  'features/importers/import-worker',
  'metrics-store/copy-worker',
  'metrics-store/worker',
]
/** Compiled code; what begins threads from files of its own; and what is read as files. */
const EXTERNAL = [/^better-sqlite3($|\/)/, /^tinypool($|\/)/, /^@fastify\/swagger-ui($|\/)/]

/** Returns whether something was to be done. */
export async function bundle(): Promise<boolean> {
  mkdirSync(DIST, { recursive: true })
  const name = hashOfInputs()
  const folder = join(DIST, name)
  const isBuilt = existsSync(folder)
  if (!isBuilt) await build(folder)
  const now = new Date()
  utimesSync(folder, now, now)
  point(name)
  removeOld()
  return !isBuilt
}

function hashOfInputs(): string {
  const sources = readdirSync(join(here, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('src', name))
    .sort()
  const hash = createHash('sha256')
  for (const name of ['bundle.ts', 'package.json', '../package-lock.json', ...sources]) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(here, name)))
      .update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}

async function build(folder: string): Promise<void> {
  const scratch = `${folder}-${process.pid}`
  try {
    await using made = await rolldown({
      cwd: here,
      platform: 'node',
      // Some packages' main file looks for its parts while it runs.
      resolve: { mainFields: ['module', 'main'] },
      input: {
        ...PROGRAMS,
        ...Object.fromEntries(THREADS.map((thread) => [thread, `src/${thread}.ts`])),
      },
      external: EXTERNAL,
      onLog(level, { message }) {
        if (level === 'warn') throw new Error(`The control plane cannot be bundled: ${message}`)
      },
    })
    await made.write({
      dir: scratch,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
    })
    renameSync(scratch, folder)
  } catch (error) {
    // Another that was at work meanwhile has made the same.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** `current` is there at every moment. */
function point(name: string): void {
  const scratch = join(DIST, `current-${process.pid}`)
  symlinkSync(name, scratch)
  renameSync(scratch, join(DIST, 'current'))
}

function removeOld(): void {
  const builds = readdirSync(DIST)
    .filter((name) => /^[0-9a-f]{16}$/.test(name))
    .map((name) => join(DIST, name))
    // Another that was at work meanwhile may have removed it.
    .map((path) => ({ path, usedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.usedMs - a.usedMs)
  for (const { path } of builds.slice(KEPT)) rmSync(path, { recursive: true, force: true })
}

if (import.meta.main) process.stdout.write((await bundle()) ? 'bundled\n' : 'nothing changed\n')
