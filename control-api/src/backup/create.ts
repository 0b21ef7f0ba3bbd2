// SPDX-License-Identifier: MIT
// Makes a backup: control.db as of one moment and the keys beside it, in a tar, compressed, encrypted to
// the recipients. `age -d -i KEY FILE | tar xz` takes it apart without this program.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { syncFolder } from '../base/sync-folder.ts'
import { stampOf } from '../ca/files.ts'
import { checkControlDb, copyControlDb } from '../db/sqlite/copy.ts'
import type { StorePlace } from '../db/store.ts'
import { keyFiles, WORK_PREFIX } from './data-folder.ts'
import { CONTROL_DB, FORMAT, factsOf, MANIFEST, type Manifest } from './manifest.ts'
import { encrypt } from './seal.ts'
import { type Member, writeTar } from './tar.ts'

export type BackupOrder = StorePlace & {
  /** The file to make; it is there whole or not at all. */
  to: string
  recipients: string[]
  version: string
  createdAtMs: number
}
export type BackupFacts = { sizeBytes: number; sha256: string; epoch: number; schema: string }

/** Keys change when a CA is rotated: rarely, so the second look finds them at rest. */
const MOST_LOOKS = 5

export async function createBackup(order: BackupOrder): Promise<BackupFacts> {
  const { dataDir, to } = order
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  // In the data folder, for it holds in the clear what the data folder does.
  const work = mkdtempSync(join(dataDir, `${WORK_PREFIX}${process.pid}-`))
  const unfinished = `${to}.tmp`
  try {
    const manifest = await gather(order, work)
    const written = await writeSealed(unfinished, contentOf(manifest, work), order.recipients)
    renameSync(unfinished, to)
    syncFolder(dirname(to))
    return { ...written, epoch: manifest.epoch, schema: manifest.schema }
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Database and keys of the same time, in `work`. */
async function gather(order: BackupOrder, work: string): Promise<Manifest> {
  const { dataDir, databaseUrl, version, createdAtMs } = order
  const copy = join(work, CONTROL_DB)
  for (let look = 1; ; look++) {
    const before = stampsOf(dataDir)
    for (const name of before.keys()) copyFileSync(join(dataDir, name), join(work, name))
    rmSync(copy, { force: true })
    if (databaseUrl === null) await copyControlDb(join(dataDir, CONTROL_DB), copy)
    else await (await import('../db/move/to-file.ts')).copyToFile(databaseUrl, work)
    if (sameStamps(before, stampsOf(dataDir))) break
    if (look === MOST_LOOKS) throw new Error(`the keys in ${dataDir} change all the time`)
    for (const name of before.keys()) rmSync(join(work, name), { force: true })
  }
  chmodSync(copy, 0o600)
  const { controlPlaneId, epoch, steps } = checkControlDb(copy)
  const names = [CONTROL_DB, ...keyFiles(work)]
  const files = await Promise.all(names.map((name) => factsOf(name, join(work, name))))
  const createdAt = new Date(createdAtMs).toISOString()
  const schema = steps.at(-1) ?? ''
  return { format: FORMAT, version, createdAt, controlPlaneId, epoch, schema, files }
}

const stampsOf = (dataDir: string) =>
  new Map(keyFiles(dataDir).map((name) => [name, stampOf(join(dataDir, name))]))

const sameStamps = (a: Map<string, string>, b: Map<string, string>) =>
  a.size === b.size && [...a].every(([name, stamp]) => b.get(name) === stamp)

function* contentOf(manifest: Manifest, work: string): Generator<Member> {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  yield { name: MANIFEST, sizeBytes: text.length, content: Readable.from([text]) }
  for (const { name, sizeBytes } of manifest.files) {
    yield { name, sizeBytes, content: createReadStream(join(work, name)) }
  }
}

async function writeSealed(
  path: string,
  members: Iterable<Member>,
  recipients: string[],
): Promise<Pick<BackupFacts, 'sizeBytes' | 'sha256'>> {
  const hash = createHash('sha256')
  const file = await open(path, 'w', 0o600)
  try {
    const tar = Readable.from(writeTar(members))
    const gzip = createGzip()
    // What fails before it fails what is read from it.
    tar.on('error', (error) => gzip.destroy(error))
    for await (const chunk of await encrypt(tar.pipe(gzip), recipients)) {
      hash.update(chunk)
      await file.writeFile(chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { sizeBytes: statSync(path).size, sha256: hash.digest('hex') }
}
