// SPDX-License-Identifier: MIT
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newIdentity } from '../../../src/backup/seal.ts'
import { unpackBackup } from '../../../src/backup/unpack.ts'
import { migrations } from '../../../src/db/migrate.ts'
import { type Built, build, tempDir } from '../../helper.ts'

const key = await newIdentity()
const settings = () => ({
  dir: join(tempDir(), 'backups'),
  recipients: [key.recipient],
  everyHours: 0,
  keep: 3,
})

const create = ({ admin }: Built) => admin.inject({ method: 'POST', url: '/api/v1/backups' })
const read = async ({ admin }: Built, path = '') =>
  (await admin.inject({ url: `/api/v1/backups${path}` })).json()

async function made(service: Built): Promise<string> {
  const { id } = (await create(service)).json()
  await service.backups?.idle()
  return id
}

test('a backup is refused while nobody could open one, and the refusal says what to set', async () => {
  const service = await build()
  expect((await create(service)).json()).toMatchObject({
    status: 409,
    code: 'backups_not_configured',
    detail: expect.stringContaining('FARMSTEAD_BACKUP_RECIPIENTS'),
  })
  const health = (await service.anonymous.inject({ url: '/api/v1/health' })).json()
  expect(health.checks).toContainEqual({
    ...{ name: 'backup', ok: true, attention: true },
    message: expect.any(String),
  })
  expect(await read(service, '/settings')).toMatchObject({ configured: false })
})

test('a backup is made at once, and its key opens what is handed out', async () => {
  const backups = settings()
  const service = await build({ config: { backups } })
  const answers = await Promise.all([create(service), create(service)])
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 409])
  const begun = answers.find(({ statusCode }) => statusCode === 202)
  expect(begun?.json()).toMatchObject({ state: 'running', createdBy: 'test-admin' })
  const { id } = begun?.json() ?? {}
  expect(begun?.headers.location).toBe(`/api/v1/backups/${id}`)
  await service.backups?.idle()
  const done = await read(service, `/${id}`)
  expect(done).toMatchObject({ state: 'done', trigger: 'manual', epoch: 1, reason: '' })
  expect((await read(service)).items).toEqual([done])
  expect(await read(service, '/settings')).toEqual({
    ...{ configured: true, recipients: [key.recipient], everyHours: 0, keep: 3 },
    directory: backups.dir,
  })
  const content = await service.admin.inject({ url: `/api/v1/backups/${id}/content` })
  expect(content.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${done.fileName}"`,
  })
  const file = join(tempDir(), 'fetched.age')
  writeFileSync(file, content.rawPayload)
  const source = { file, identities: [key.identity], knownSteps: Object.keys(migrations) }
  const manifest = await unpackBackup(source, join(tempDir(), 'content'))
  expect(manifest.controlPlaneId).toBe(service.services.controlPlaneId)
})

test('backups are pages of a list, are deleted with their files, and say when a file is gone', async () => {
  const backups = settings()
  const service = await build({ config: { backups } })
  const ids = [await made(service), await made(service)].reverse()
  const first = await read(service, '?limit=1')
  const second = await read(service, `?limit=1&cursor=${first.nextCursor}`)
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
  expect(second.nextCursor).toBeNull()

  const url = `/api/v1/backups/${ids[0]}`
  const remove = () => service.admin.inject({ method: 'DELETE', url })
  expect((await remove()).statusCode).toBe(204)
  expect(readdirSync(backups.dir)).toEqual(
    second.items.map((item: { fileName: string }) => item.fileName),
  )
  expect((await remove()).json()).toMatchObject({ status: 404, code: 'backup_not_found' })

  rmSync(backups.dir, { recursive: true })
  expect(await read(service, `/${ids[1]}/content`)).toMatchObject({
    status: 410,
    code: 'backup_file_gone',
  })
})
