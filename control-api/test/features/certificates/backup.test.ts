// SPDX-License-Identifier: MIT
// A backup has what is needed to serve certificates again, and shows no key to who cannot open it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBackup } from '../../../src/backup/create.ts'
import { restoreBackup } from '../../../src/backup/restore.ts'
import { newIdentity } from '../../../src/backup/seal.ts'
import { openSecretBox } from '../../../src/base/secret-box.ts'
import { openVersion } from '../../../src/certificates/keep.ts'
import { migrations } from '../../../src/db/migrate.ts'
import { openControlDb } from '../../../src/db/sqlite/open.ts'
import { makeChain } from '../../certificates/make.ts'
import { build, tempDir } from '../../helper.ts'

test('a restored control plane opens the keys it had', async () => {
  const service = await build()
  const { chain, key } = await makeChain(['a.example'])
  const payload = { name: 'a', chain, key }
  await service.admin.inject({ method: 'POST', url: '/api/v1/certificates', payload })
  const { identity, recipient } = await newIdentity()
  const to = join(tempDir(), 'control.age')
  const { dataDir, databaseUrl } = service.config
  const order = { dataDir, databaseUrl, to, recipients: [recipient] }
  await createBackup({ ...order, version: '1', createdAtMs: 1 })
  const [, line = ''] = key.split('\n')
  expect(readFileSync(to, 'latin1')).not.toContain(line)
  const restored = tempDir()
  await restoreBackup({
    ...{ dataDir: restored, file: to, identities: [identity], replace: false, nowMs: 2 },
    knownSteps: Object.keys(migrations),
    prepare: async () => {},
  })
  expect(readFileSync(join(restored, 'control.db'), 'latin1')).not.toContain(line)
  const db = openControlDb(restored)
  try {
    const opened = await openVersion(db, openSecretBox(restored), { name: 'a', number: 1 })
    expect(opened).toMatchObject({ chain, key })
    // With a key of another folder it stays shut.
    const other = openSecretBox(tempDir())
    await expect(openVersion(db, other, { name: 'a', number: 1 })).rejects.toThrow('secrets.key')
  } finally {
    await db.destroy()
  }
})
