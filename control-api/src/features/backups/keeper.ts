// SPDX-License-Identifier: MIT
// Makes backups, one at a time: when asked, and when due. Keeps as many as it should, and knows their files.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { decodeTime } from 'ulid'
import type { Write } from '../../audit/write.ts'
import type { BackupFacts, BackupOrder } from '../../backup/create.ts'
import { WORK_PREFIX } from '../../backup/data-folder.ts'
import type { BackupRun } from '../../backup/in-worker.ts'
import { newId } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import type { BackupConfig } from '../../environment/config.ts'
import { BackupRunning } from './errors.ts'
import { isDue, judgeBackups, type Known, superfluous } from './rules.ts'
import {
  adoptBackup,
  deleteBackup,
  endBackup,
  insertBackup,
  knownBackups,
  type NewBackup,
} from './store.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  dataDir: string
  databaseUrl: string | null
  version: string
  config: BackupConfig
  run: (order: BackupOrder) => BackupRun
  onError: (error: unknown) => void
}
export type BackupKeeper = Awaited<ReturnType<typeof openKeeper>>

const LOOK_EVERY_MS = 60_000
const FILE = /^farmstead-\d{8}T\d{6}Z-([0-9a-hjkmnp-tv-z]{26})\.tar\.gz\.age$/

export async function openKeeper(deps: Deps) {
  const { db, write, now, dataDir, databaseUrl, version, config, run, onError } = deps
  const startedAtMs = now()
  const pathOf = (fileName: string) => join(config.dir, fileName)
  let current: { id: string; cancel: () => Promise<void>; ended: Promise<void> } | null = null
  let closing = false

  /** Resolves when it has begun. */
  const begin = async (trigger: Known['trigger'], actor: string | null): Promise<string> => {
    if (current) throw new BackupRunning(current.id)
    const id = newId('backup')
    // Taken before the first await: of two that ask at once, one gets it.
    const started = Promise.withResolvers<void>()
    current = { id, cancel: async () => {}, ended: started.promise }
    try {
      const row = {
        id,
        trigger,
        file_name: fileNameOf(id, now()),
        created_by: actor,
        created_at_ms: now(),
      }
      await write((unit) => insertBackup(unit, row))
      const order = orderFor(row)
      const work = run(order)
      const ended = follow(id, work.done).finally(() => {
        current = null
      })
      current = { id, cancel: work.cancel, ended }
      return id
    } catch (error) {
      current = null
      throw error
    } finally {
      started.resolve()
    }
  }

  const orderFor = (row: NewBackup): BackupOrder => ({
    dataDir,
    databaseUrl,
    to: pathOf(row.file_name),
    recipients: config.recipients,
    version,
    createdAtMs: row.created_at_ms,
  })

  const follow = async (id: string, done: Promise<BackupFacts>): Promise<void> => {
    try {
      const { sizeBytes, ...facts } = await done
      await write((unit) =>
        endBackup(unit, id, {
          state: 'done',
          ended_at_ms: now(),
          size_bytes: sizeBytes,
          ...facts,
        }),
      )
      await prune()
    } catch (error) {
      onError(error)
      if (!closing) await fail(id, error instanceof Error ? error.message : String(error))
    }
  }

  const fail = (id: string, reason: string): Promise<void> =>
    write((unit) => endBackup(unit, id, { state: 'failed', ended_at_ms: now(), reason })).catch(
      onError,
    )

  const prune = async (): Promise<void> => {
    for (const { id, fileName } of superfluous(await knownBackups(db), config.keep)) {
      await remove(id, fileName, null)
    }
  }

  const remove = async (id: string, fileName: string, actor: string | null): Promise<boolean> => {
    // The file first: a row without a file says so, a file without a row is kept for ever.
    rmSync(pathOf(fileName), { force: true })
    return await write((unit) => deleteBackup(unit, id, actor))
  }

  const look = async (): Promise<void> => {
    if (current || !isDue(await knownBackups(db), config.everyHours, now())) return
    await begin('schedule', null)
  }

  await tidyUp(deps)
  const timer = setInterval(() => look().catch(onError), LOOK_EVERY_MS)
  timer.unref()
  if (config.everyHours > 0) look().catch(onError)

  return {
    begin,
    look,
    remove,
    pathOf,
    /** Resolves when none is under way. */
    idle: async () => await current?.ended,
    check: async () =>
      judgeBackups(await knownBackups(db), {
        everyHours: config.everyHours,
        sinceMs: startedAtMs,
        nowMs: now(),
      }),
    async close() {
      closing = true
      clearInterval(timer)
      await current?.cancel()
      await current?.ended
    },
  }
}

function fileNameOf(id: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return `farmstead-${stamp}-${id.replace(/^backup_/, '')}.tar.gz.age`
}

/** What an end in the middle left: rows that say "running", unfinished files, copies in the clear. */
async function tidyUp({ db, write, now, dataDir, config }: Deps): Promise<void> {
  removeLeftWork(dataDir)
  const known = await knownBackups(db)
  const files = filesIn(config.dir)
  for (const { id, state, fileName } of known) {
    if (state !== 'running') continue
    rmSync(join(config.dir, `${fileName}.tmp`), { force: true })
    const ending = endingOf(join(config.dir, fileName))
    await write((unit) => endBackup(unit, id, { ...ending, ended_at_ms: now() }))
  }
  const names = new Set(known.map(({ fileName }) => fileName))
  for (const { name, ulid } of files.filter((file) => !names.has(file.name))) {
    const stats = statSync(join(config.dir, name))
    await write((unit) =>
      adoptBackup(unit, {
        id: `backup_${ulid}`,
        state: 'done',
        trigger: 'manual',
        file_name: name,
        created_by: null,
        created_at_ms: decodeTime(ulid.toUpperCase()),
        ended_at_ms: Math.round(stats.mtimeMs),
        size_bytes: stats.size,
        sha256: null,
        epoch: null,
        schema: null,
        reason: '',
      }),
    )
  }
}

/** A file is there whole or not at all. In a restored database the backup it came from still "runs". */
function endingOf(path: string) {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return { state: 'failed' as const, reason: 'the service ended meanwhile' }
  const unknown = { sha256: null, epoch: null, schema: null }
  return { state: 'done' as const, size_bytes: stats.size, ...unknown }
}

function filesIn(dir: string): { name: string; ulid: string }[] {
  try {
    return readdirSync(dir).flatMap((name) => {
      const ulid = FILE.exec(name)?.[1]
      return ulid ? [{ name, ulid }] : []
    })
  } catch {
    // Made with the first backup; a mount that is missing makes that one fail and say so.
    return []
  }
}

/** Of processes that are gone; another's command may be at work. */
function removeLeftWork(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(WORK_PREFIX)) continue
    const pid = Number.parseInt(name.slice(WORK_PREFIX.length), 10)
    if (pid === process.pid || !lives(pid)) rmSync(join(dataDir, name), { recursive: true })
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
