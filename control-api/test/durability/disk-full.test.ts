// SPDX-License-Identifier: MIT
// The real service on a disk that is full: writes are refused in words, reads go on, agents are answered, and
// all goes on when there is room again. The disk is a small one in a namespace of its own: only root has such.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RESERVE_FILE } from '../../src/storage/reserve.ts'
import { example } from '../agents/node-client.ts'
import { RealControlPlane } from '../backup/real-process.ts'
import { canMount, smallDisk } from './small-disk.ts'

const DISK_BYTES = 24 * 1024 * 1024
const WITHIN_MS = 120_000

test.runIf(canMount)(
  'a full disk stops writes, and nothing else',
  { timeout: WITHIN_MS },
  async () => {
    const disk = await smallDisk(DISK_BYTES)
    const dataDir = join(disk.dir, 'data')
    const controlPlane = new RealControlPlane({ FARMSTEAD_DATA_DIR: dataDir }, disk.wrap)
    await controlPlane.start()
    await controlPlane.signIn()
    const { secret } = await controlPlane.admin('enrolment-token')
    const say = (message: string, body: object, credential?: string) =>
      fetch(`${controlPlane.env.FARMSTEAD_AGENT_URL}/agent/v1/${message}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(credential && { authorization: `Bearer ${credential}` }),
        },
        body: JSON.stringify(body),
      })
    const enrolled = await say('enrol', { ...example('enrol.request'), token: secret })
    const { nodeId, credential } = (await enrolled.json()) as Record<string, string>
    const hello = () => say('hello', { ...example('hello.request.first'), nodeId }, credential)
    const desired = () =>
      say('desired', { ...example('desired.request'), have: null, waitMs: 0 }, credential)
    expect((await hello()).status).toBe(200)
    const write = () =>
      controlPlane.ask('POST', '/enrolment-tokens', { labels: { filling: 'x'.repeat(128) } })
    expect((await write()).status).toBe(201)

    const reserve = join(disk.outside, 'data', RESERVE_FILE)
    await expect.poll(() => existsSync(reserve), { timeout: WITHIN_MS }).toBe(true)
    disk.fill()
    // What the write-ahead log has room for still succeeds.
    let refused = await write()
    for (let i = 0; refused.status === 201 && i < 500; i++) refused = await write()
    expect(await refused.json()).toMatchObject({ status: 507, code: 'storage_full' })
    expect(refused.headers.get('content-type')).toMatch(/problem\+json/)

    for (const path of ['/nodes', '/configs', '/rollouts', '/enrolment-tokens', '/session']) {
      expect((await controlPlane.ask('GET', path)).status, path).toBe(200)
    }
    const health = await controlPlane.ask('GET', '/health')
    expect([health.status, (await health.text()).includes('the disk is full')]).toEqual([200, true])
    // What nodes say still finds the reserve's room.
    expect((await hello()).status).toBe(200)
    // Without that too, what must be stored is refused so that the node says it again; what need not be is answered.
    for (let i = 0; i < 500 && (await hello()).status === 200; i++) disk.fill()
    expect((await hello()).status).toBe(507)
    expect([(await desired()).status, await (await desired()).json()]).toEqual([
      200,
      { assignment: null },
    ])

    disk.free()
    await expect.poll(async () => (await write()).status, { timeout: WITHIN_MS }).toBe(201)
    expect((await hello()).status).toBe(200)

    disk.fill()
    for (let i = 0; i < 500 && (await write()).status === 201; i++);
    await controlPlane.end()
    disk.free()
    await controlPlane.start()
    expect((await write()).status).toBe(201)
  },
)
