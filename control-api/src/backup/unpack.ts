// SPDX-License-Identifier: MIT
// Takes a backup apart into a folder and believes nothing of it that was not checked: that it is whole, that
// it holds what its manifest says, and that the database in it is sound.
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, mkdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { checkControlDb } from '../db/sqlite/copy.ts'
import { BackupUnreadable } from './errors.ts'
import {
  CONTROL_DB,
  factsOf,
  MANIFEST,
  MANIFEST_MAX_BYTES,
  type Manifest,
  parseManifest,
} from './manifest.ts'
import { decrypt } from './seal.ts'
import { type Member, readTar } from './tar.ts'

type Source = {
  file: string
  identities: readonly string[]
  knownSteps: readonly string[]
  /**
   * Of the very file that is meant, in hexadecimal. Left out: any that opens. To encrypt takes a public key only, so that it
   * opens does not say who made it.
   */
  sha256?: string | undefined
}

/** `into` is made, and is gone again when it throws. */
export async function unpackBackup(source: Source, into: string): Promise<Manifest> {
  mkdirSync(into, { mode: 0o700 })
  try {
    const manifest = await extract(source, into)
    await checkContent(manifest, into)
    checkDatabase(manifest, into, source.knownSteps)
    return manifest
  } catch (error) {
    rmSync(into, { recursive: true, force: true })
    if (isOfTheMachine(error)) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new BackupUnreadable(source.file, why)
  }
}

const MACHINE = new Set(['ENOENT', 'ENOSPC', 'EACCES', 'EIO', 'SQLITE_FULL', 'SQLITE_IOERR'])
const isOfTheMachine = (error: unknown) =>
  error instanceof Error && 'code' in error && MACHINE.has(String(error.code))

async function extract({ file, identities, sha256 }: Source, into: string): Promise<Manifest> {
  let manifest: Manifest | undefined
  const hash = createHash('sha256')
  const plain = await decrypt(Readable.from(passing(createReadStream(file), hash)), identities)
  const tar = createGunzip()
  plain.on('error', (error) => tar.destroy(error))
  await readTar(plain.pipe(tar), async (member) => {
    manifest ??= await manifestFrom(member)
    if (member.name === MANIFEST) return
    const listed = manifest.files.find(({ name }) => name === member.name)
    if (listed?.sizeBytes !== member.sizeBytes) {
      throw new Error(`${member.name} in it is not what the manifest says`)
    }
    await writeMember(member, join(into, member.name))
  })
  if (!manifest) throw new Error('it is empty')
  const found = hash.digest('hex')
  if (sha256 !== undefined && found !== sha256.toLowerCase()) {
    throw new Error(`its SHA-256 is ${found}, so it is another one than was meant`)
  }
  return manifest
}

/** What it reads is what is used: nobody can change the file between two looks. */
async function* passing(file: AsyncIterable<Uint8Array>, hash: Hash) {
  for await (const chunk of file) {
    hash.update(chunk)
    yield chunk
  }
}

async function manifestFrom({ name, sizeBytes, content }: Member): Promise<Manifest> {
  if (name !== MANIFEST || sizeBytes > MANIFEST_MAX_BYTES) {
    throw new Error('it does not begin with a manifest')
  }
  const parts: Uint8Array[] = []
  for await (const part of content) parts.push(part)
  return parseManifest(Buffer.concat(parts).toString('utf8'))
}

async function writeMember({ content }: Member, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const part of content) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function checkContent({ files }: Manifest, into: string): Promise<void> {
  if (!files.some(({ name }) => name === CONTROL_DB)) throw new Error(`it holds no ${CONTROL_DB}`)
  for (const { name, sha256 } of files) {
    const found = await factsOf(name, join(into, name)).catch(() => null)
    if (found?.sha256 !== sha256) throw new Error(`${name} in it is missing or damaged`)
  }
}

function checkDatabase(manifest: Manifest, into: string, knownSteps: readonly string[]): void {
  const { steps, controlPlaneId } = checkControlDb(join(into, CONTROL_DB))
  if (controlPlaneId !== manifest.controlPlaneId) {
    throw new Error('its database is of another control plane than its manifest says')
  }
  const unknown = steps.find((step) => !knownSteps.includes(step))
  if (unknown) {
    throw new Error(
      `its database was written by a newer version (${manifest.version}, step ${unknown}); use that version`,
    )
  }
}
