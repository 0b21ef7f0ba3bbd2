// SPDX-License-Identifier: MIT
// The keys that every replica must have alike: the CA's, which change with a rotation, and that of sessions. They are files of
// the data folder, as always, and stand in the database, too, sealed with secrets.key, which the operator gives to each replica
// and which is the only one that is not there. Who begins to lead takes them from there.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { defineError } from '../api-shapes/errors.ts'
import { openSecretBox, type SecretBox, SecretNotReadable } from '../base/secret-box.ts'
import type { Database } from '../db/database.ts'
import { forgetSealedKey, keepSealedKey, sealedKeys } from './key-store.ts'

const NAMES = ['ca.key', 'ca-next.key', 'session.key'] as const
type Name = (typeof NAMES)[number]
/** A rotation ends without it. The others are never taken away: who lost the file gets it back at the next start. */
const GOES = 'ca-next.key'
const STAYS = 'ca.key'
const LOOKS_EVERY_MS = 10_000

export const OtherSecretsKey = defineError(
  409,
  'other_secrets_key',
  'secrets.key is not that of this control plane',
  (dataDir: string) =>
    `The database belongs to a control plane with another secrets.key than ${join(dataDir, 'secrets.key')} (or there is none). Copy that of a replica that has led there, mode 600, then start again; nothing was changed.`,
)

export const OtherSecretsKeyFile = defineError(
  409,
  'other_secrets_key_file',
  'Two keys are named for the same secrets',
  (file: string, path: string) =>
    `FARMSTEAD_SECRETS_KEY_FILE (${file}) holds another key than ${path}. Take away the one that is not this control plane's, then start again; nothing was changed.`,
)

type Deps = {
  db: Kysely<Database>
  dataDir: string
  /** A file that holds secrets.key, such as a mounted secret; null: it is in the folder, or made. */
  secretsKeyFile: string | null
}
export type SharedKeys = Awaited<ReturnType<typeof takeSharedKeys>>

/** Of a database whose steps may be those of an older version, or none yet. */
export async function takeSharedKeys({ db, dataDir, secretsKeyFile }: Deps) {
  const found = await sealedKeys(db)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (secretsKeyFile !== null) placeKey(secretsKeyFile, dataDir)
  const hasKey = existsSync(join(dataDir, 'secrets.key'))
  if (found && !hasKey) throw new OtherSecretsKey(dataDir)
  let stored = found ?? new Map<string, string>()
  const box = openSecretBox(dataDir)
  /** As they were when they were last alike in both places. */
  let alike = new Map<Name, string>()

  const write = (): void => {
    for (const name of NAMES) {
      const sealed = stored.get(name)
      const path = join(dataDir, name)
      if (sealed !== undefined) writeWhole(path, opened(box, name, sealed, dataDir))
    }
    if (stored.has(STAYS) && !stored.has(GOES)) rmSync(join(dataDir, GOES), { force: true })
    alike = readAll(dataDir)
  }
  if (stored.size > 0) write()

  /** What was changed in one of the two places is taken to the other; in both, the database's is right. */
  async function look(): Promise<void> {
    const now = (await sealedKeys(db)) ?? new Map<string, string>()
    const isNews = NAMES.some((name) => now.get(name) !== stored.get(name))
    stored = now
    if (isNews) return write()
    const mine = readAll(dataDir)
    for (const name of NAMES) {
      const text = mine.get(name)
      if (text === alike.get(name)) continue
      if (text === undefined && name === GOES) await forgetSealedKey(db, name)
      else if (text === undefined) continue
      else await keepSealedKey(db, name, box.seal(text, purposeOf(name)))
    }
    stored = (await sealedKeys(db)) ?? stored
    alike = mine
  }
  return {
    look,
    /** What failed is tried again. Returns how to stop. */
    keepLooking(onError: (error: unknown) => void): () => void {
      const timer = setInterval(() => void look().catch(onError), LOOKS_EVERY_MS)
      timer.unref()
      return () => clearInterval(timer)
    },
  }
}

/** Copied, for what is mounted is of modes and owners that are not ours to choose. */
function placeKey(file: string, dataDir: string): void {
  const text = readFileSync(file, 'utf8').trim()
  const path = join(dataDir, 'secrets.key')
  if (!existsSync(path)) writeWhole(path, text)
  else if (readFileSync(path, 'utf8').trim() !== text) throw new OtherSecretsKeyFile(file, path)
}

const purposeOf = (name: Name) => `shared-key:${name}`

function opened(box: SecretBox, name: Name, sealed: string, dataDir: string): string {
  try {
    return box.open(sealed, purposeOf(name))
  } catch (error) {
    if (error instanceof SecretNotReadable) throw new OtherSecretsKey(dataDir)
    throw error
  }
}

function readAll(dataDir: string): Map<Name, string> {
  const texts = new Map<Name, string>()
  for (const name of NAMES) {
    const path = join(dataDir, name)
    if (existsSync(path)) texts.set(name, readFileSync(path, 'utf8'))
  }
  return texts
}

/** Never half of one, whoever looks. */
function writeWhole(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
