// SPDX-License-Identifier: MIT
// Backups as files: made of a real data folder while it is written, opened by their key alone, and never
// believed when anything about them is wrong.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Encrypter } from 'age-encryption'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createBackup } from '../../src/backup/create.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { decrypt, newIdentity } from '../../src/backup/seal.ts'
import { type Member, readTar, writeTar } from '../../src/backup/tar.ts'
import { unpackBackup } from '../../src/backup/unpack.ts'
import { migrations } from '../../src/db/migrate.ts'
import { openServices } from '../../src/process/services.ts'
import { tempDir } from '../helper.ts'

let key: Awaited<ReturnType<typeof newIdentity>>
beforeAll(async () => {
  key = await newIdentity()
})

const knownSteps = Object.keys(migrations).sort()
const AT = Date.parse('2026-11-22T18:00:00.000Z')

async function openFolder(dataDir = tempDir()) {
  const services = await openServices({ dataDir })
  onTestFinished(() => services.close().catch(() => {}))
  writeFileSync(join(dataDir, 'ca.key'), 'the key of the CA', { mode: 0o600 })
  writeFileSync(join(dataDir, 'session.key'), 'the key of sessions', { mode: 0o600 })
  writeFileSync(join(dataDir, 'metrics.db'), 'x'.repeat(100_000))
  return { dataDir, ...services }
}

async function makeBackup(dataDir: string, recipients = [key.recipient]) {
  const to = join(tempDir(), 'backup.age')
  const facts = await createBackup({
    ...{ dataDir, databaseUrl: null, to, recipients, version: '1.2.3', createdAtMs: AT },
  })
  return { to, facts }
}

const unpack = (file: string, identities = [key.identity], steps = knownSteps) => {
  const into = join(tempDir(), 'content')
  return unpackBackup({ file, identities, knownSteps: steps }, into).then((manifest) => ({
    manifest,
    into,
  }))
}

async function plainTar(file: string): Promise<Buffer> {
  const plain = await decrypt(Readable.from(readFileSync(file)), [key.identity])
  const parts: Uint8Array[] = []
  for await (const part of plain) parts.push(part)
  return gunzipSync(Buffer.concat(parts))
}

async function sealed(tar: Uint8Array): Promise<string> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(key.recipient)
  const file = join(tempDir(), 'made.age')
  writeFileSync(file, await encrypter.encrypt(gzipSync(tar)))
  return file
}

describe('the tar', () => {
  const text = (content: string) => ({
    sizeBytes: Buffer.byteLength(content),
    content: Readable.from([Buffer.from(content)]),
  })
  const bytesOf = async (members: Member[]) => {
    const parts: Uint8Array[] = []
    for await (const part of writeTar(members)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** The header's checksum, which is made with blanks in its own place. */
  const withSum = (tar: Buffer, edit: () => void) => {
    edit()
    const sum = tar.subarray(0, 512).fill(' ', 148, 156)
    const octal = sum.reduce((all, byte) => all + byte, 0).toString(8)
    tar.write(`${octal.padStart(6, '0')}\0 `, 148)
  }

  test.each([1, 7, 511, 512, 513, 100_000])('is read in chunks of %i bytes', async (size) => {
    const contents = ['', 'a', 'b'.repeat(512), 'c'.repeat(1300)]
    const bytes = await bytesOf(contents.map((c, i) => ({ name: `file-${i}`, ...text(c) })))
    const chunks = function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    const found: string[] = []
    await readTar(Readable.from(chunks()), async ({ content }) => {
      let all = ''
      for await (const part of content) all += Buffer.from(part)
      found.push(all)
    })
    expect(found).toEqual(contents)
  })

  test('is one to tar(1)', async () => {
    const file = join(tempDir(), 'made.tar')
    writeFileSync(file, await bytesOf([{ name: 'control.db', ...text('content') }]))
    expect(execFileSync('tar', ['-xOf', file, 'control.db']).toString()).toBe('content')
  })

  test('leaves no folder: names with a path are neither written nor read', async () => {
    await expect(bytesOf([{ name: '../x', ...text('x') }])).rejects.toThrow(/cannot be a part/)
    const bytes = await bytesOf([{ name: 'a-x', ...text('x') }])
    withSum(bytes, () => bytes.write('../', 0))
    await expect(readTar(Readable.from([bytes]), async () => {})).rejects.toThrow(/no backup/)
  })

  test('has no links', async () => {
    const bytes = await bytesOf([{ name: 'x', ...text('') }])
    withSum(bytes, () => bytes.write('2/etc/passwd', 156))
    await expect(readTar(Readable.from([bytes]), async () => {})).rejects.toThrow(/no backup/)
  })

  test('ends where it says, and nothing comes after', async () => {
    const bytes = await bytesOf([{ name: 'x', ...text('x') }])
    for (const wrong of [bytes.subarray(0, -512), Buffer.concat([bytes, bytes])]) {
      await expect(readTar(Readable.from([wrong]), async () => {})).rejects.toThrow()
    }
  })
})

describe('a backup', () => {
  test('holds the database and the keys beside it, and not the measurements', async () => {
    const { dataDir, controlPlaneId } = await openFolder()
    const { to, facts } = await makeBackup(dataDir)
    const { manifest, into } = await unpack(to)
    expect(manifest).toMatchObject({
      format: 1,
      version: '1.2.3',
      createdAt: '2026-11-22T18:00:00.000Z',
      controlPlaneId,
      epoch: 0,
      schema: knownSteps.at(-1),
    })
    expect(readdirSync(into).sort()).toEqual(['ca.key', 'control.db', 'session.key'])
    expect(readFileSync(join(into, 'ca.key'), 'utf8')).toBe('the key of the CA')
    expect(facts.sizeBytes).toBe(statSync(to).size)
    expect(statSync(to).mode & 0o077).toBe(0)
    expect(readdirSync(dataDir).filter((name) => name.startsWith('backup'))).toEqual([])
  })

  test('cannot be read by who made it, nor by anybody else', async () => {
    const { dataDir } = await openFolder()
    const { to } = await makeBackup(dataDir)
    expect(readFileSync(to).includes('the key of the CA')).toBe(false)
    const { identity } = await newIdentity()
    await expect(unpack(to, [identity])).rejects.toMatchObject({ code: 'backup_unreadable' })
  })

  test('opens with the key of any of its recipients', async () => {
    const { dataDir } = await openFolder()
    const other = await newIdentity()
    const { to } = await makeBackup(dataDir, [key.recipient, other.recipient])
    for (const { identity } of [key, other]) {
      expect((await unpack(to, [identity])).manifest.format).toBe(1)
    }
  })

  test('is of one moment, while writes go on', async () => {
    const { dataDir, write, db } = await openFolder()
    let written = 0
    const writing = { on: true }
    const writer = (async () => {
      while (writing.on) {
        // Nothing in a write waits for anything: without this nobody else would have a turn.
        await setImmediate()
        // Both rows or none: a copy of two moments would have one without the other.
        await write(async (unit) => {
          written++
          for (const half of ['a', 'b']) {
            await unit.trx
              .insertInto('rendered_texts')
              .values({ id: `${half}${written}`, text: 'x'.repeat(3000) })
              .execute()
          }
        })
      }
    })()
    await expect.poll(() => written).toBeGreaterThan(50)
    const { to } = await makeBackup(dataDir)
    writing.on = false
    await writer
    const { into } = await unpack(to)
    const restored = await openServices({ dataDir: into })
    onTestFinished(() => restored.close())
    const ids = await restored.db.selectFrom('rendered_texts').select('id').execute()
    const half = (letter: string) =>
      ids.flatMap(({ id }) => (id.startsWith(letter) ? [id.slice(1)] : [])).sort()
    expect(half('a').length).toBeGreaterThan(50)
    expect(half('a')).toEqual(half('b'))
    expect(await db.selectFrom('rendered_texts').select('id').execute()).toHaveLength(2 * written)
  })

  test('that cannot be finished leaves nothing', async () => {
    const { dataDir } = await openFolder()
    const inTheWay = join(tempDir(), 'file')
    writeFileSync(inTheWay, '')
    const to = join(inTheWay, 'backup.age')
    const order = {
      ...{ dataDir, databaseUrl: null, to, recipients: [key.recipient] },
      ...{ version: '1', createdAtMs: AT },
    }
    await expect(createBackup(order)).rejects.toMatchObject({ code: 'EEXIST' })
    expect(readdirSync(dataDir).filter((name) => name.startsWith('backup'))).toEqual([])
  })
})

describe('a backup that is not whole', () => {
  const refused = { code: 'backup_unreadable' }

  test('is refused wherever it was cut off', async () => {
    const { dataDir } = await openFolder()
    const { to } = await makeBackup(dataDir)
    const { size } = statSync(to)
    for (const length of [size - 1, size - 16, Math.floor(size / 2), 100, 0]) {
      truncateSync(to, length)
      await expect(unpack(to), `${length} of ${size}`).rejects.toMatchObject(refused)
    }
  })

  test('is refused when a byte of it changed, or something was added', async () => {
    const { dataDir } = await openFolder()
    const { to } = await makeBackup(dataDir)
    const bytes = readFileSync(to)
    const at = Math.floor(bytes.length / 2)
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    writeFileSync(to, bytes)
    await expect(unpack(to)).rejects.toMatchObject(refused)
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    writeFileSync(to, bytes)
    expect((await unpack(to)).manifest.format).toBe(1)
    appendFileSync(to, 'x')
    await expect(unpack(to)).rejects.toMatchObject(refused)
  })

  test('is refused when its parts are not those of its manifest', async () => {
    const { dataDir } = await openFolder()
    const { to } = await makeBackup(dataDir)
    const tar = await plainTar(to)
    const at = tar.indexOf('the key of the CA')
    expect(at).toBeGreaterThan(0)
    tar.write('THE', at)
    await expect(unpack(await sealed(tar))).rejects.toThrow(/ca\.key in it is missing or damaged/)
  })

  // Whoever knows the public key can make one: nginx-ui's CVE-2026-33026.
  test('is refused when it is another than was meant, however whole it is', async () => {
    const { dataDir } = await openFolder()
    const { to, facts } = await makeBackup(dataDir)
    const theirs = await sealed(await plainTar(to))
    const into = join(tempDir(), 'content')
    const source = { identities: [key.identity], knownSteps, sha256: facts.sha256 }
    await expect(unpackBackup({ ...source, file: theirs }, into)).rejects.toThrow(
      /its SHA-256 is [0-9a-f]{64}, so it is another one than was meant\. Nothing was changed\.$/,
    )
    expect(existsSync(into)).toBe(false)
    for (const sha256 of [facts.sha256, facts.sha256.toUpperCase()]) {
      const manifest = await unpackBackup({ ...source, file: to, sha256 }, join(tempDir(), 'c'))
      expect(manifest.format).toBe(1)
    }
    expect((await unpack(theirs)).manifest.format).toBe(1)
  })

  test('is refused when a newer version wrote it', async () => {
    const { dataDir } = await openFolder()
    const { to } = await makeBackup(dataDir)
    const older = knownSteps.slice(0, -1)
    await expect(unpack(to, [key.identity], older)).rejects.toThrow(/newer version \(1\.2\.3/)
  })

  test('leaves nothing behind', async () => {
    const file = join(tempDir(), 'no.age')
    writeFileSync(file, 'this is no backup')
    const into = join(tempDir(), 'content')
    const source = { file, identities: [key.identity], knownSteps }
    await expect(unpackBackup(source, into)).rejects.toMatchObject(refused)
    expect(existsSync(into)).toBe(false)
  })
})

describe('a restore', () => {
  const restore = (dataDir: string, file: string, changes = {}) =>
    restoreBackup({
      dataDir,
      file,
      identities: [key.identity],
      knownSteps,
      replace: false,
      nowMs: AT,
      prepare: async () => {},
      ...changes,
    })

  test('fills an empty folder', async () => {
    const { dataDir, controlPlaneId } = await openFolder()
    const { to } = await makeBackup(dataDir)
    const fresh = join(tempDir(), 'data')
    expect(await restore(fresh, to)).toMatchObject({ putAside: null })
    const services = await openServices({ dataDir: fresh })
    onTestFinished(() => services.close())
    expect(services.controlPlaneId).toBe(controlPlaneId)
    expect(readFileSync(join(fresh, 'session.key'), 'utf8')).toBe('the key of sessions')
    expect(statSync(join(fresh, 'ca.key')).mode & 0o077).toBe(0)
  })

  test('is refused while the folder is in use', async () => {
    const { dataDir, close } = await openFolder()
    const { to } = await makeBackup(dataDir)
    await expect(restore(dataDir, to, { replace: true })).rejects.toMatchObject({
      code: 'folder_in_use',
    })
    await close()
    await restore(dataDir, to, { replace: true })
  })

  test('puts nothing over a control plane unless told to, and then puts that aside', async () => {
    const { dataDir, close } = await openFolder()
    const { to } = await makeBackup(dataDir)
    await close()
    const other = await openFolder()
    await other.close()
    await expect(restore(other.dataDir, to)).rejects.toMatchObject({ code: 'folder_not_empty' })
    const { putAside } = await restore(other.dataDir, to, { replace: true })
    expect(readdirSync(putAside ?? '').sort()).toEqual(['ca.key', 'control.db', 'session.key'])
    const aside = await openServices({ dataDir: putAside ?? '' })
    expect(aside.controlPlaneId).toBe(other.controlPlaneId)
    await aside.close()
    // Measurements are of the same nodes.
    expect(existsSync(join(other.dataDir, 'metrics.db'))).toBe(true)
  })

  test('that fails changes nothing', async () => {
    const { dataDir, controlPlaneId, close } = await openFolder()
    await close()
    const file = join(tempDir(), 'no.age')
    writeFileSync(file, 'this is no backup')
    await expect(restore(dataDir, file, { replace: true })).rejects.toThrow()
    const services = await openServices({ dataDir })
    expect(services.controlPlaneId).toBe(controlPlaneId)
    await services.close()
  })

  test('that was cut short keeps the service from starting until it is done again', async () => {
    const { dataDir, controlPlaneId, close } = await openFolder()
    const { to } = await makeBackup(dataDir)
    await close()
    // As after a kill in the middle of the moving.
    mkdirSync(join(dataDir, 'restore.work'))
    writeFileSync(join(dataDir, 'restore.unfinished'), '')
    renameSync(join(dataDir, 'control.db'), join(dataDir, 'restore.work', 'control.db'))
    await expect(openServices({ dataDir })).rejects.toMatchObject({ code: 'restore_unfinished' })
    await restore(dataDir, to, { replace: true })
    const services = await openServices({ dataDir })
    expect(services.controlPlaneId).toBe(controlPlaneId)
    await services.close()
  })
})
