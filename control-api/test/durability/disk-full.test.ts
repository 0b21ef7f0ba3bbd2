// SPDX-License-Identifier: MIT
// The real service on a disk that is full: writes are refused in words, reads go on, agents are answered, and
// all goes on when there is room again. The disk is a small one in a namespace of its own: only root has such.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { example } from '../agents/node-client.ts'
import { RealControlPlane } from '../backup/real-process.ts'
import { tempDir } from '../helper.ts'

const DISK_BYTES = 8 * 1024 * 1024
const PAGE_BYTES = 4096
const WITHIN_MS = 120_000

const canMount = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0

type Disk = { dir: string; wrap: string[]; fill: () => void; free: () => void }

async function smallDisk(): Promise<Disk> {
  const dir = join(tempDir(), 'disk')
  mkdirSync(dir)
  const script = `mount -t tmpfs -o size=${DISK_BYTES} tmpfs "$0" && echo ready && exec cat`
  const holder = spawn('unshare', ['-m', 'sh', '-c', script, dir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    holder.kill('SIGKILL')
  })
  await new Promise((ready) => holder.stdout.once('data', ready))
  const filler = join(`/proc/${holder.pid}/root`, dir, 'filler')
  const fill = () => {
    let size = 0
    try {
      for (;;) {
        writeFileSync(filler, Buffer.alloc(PAGE_BYTES), { flag: 'a' })
        size += PAGE_BYTES
      }
    } catch {
      truncateSync(filler, size)
    }
  }
  const wrap = ['nsenter', '-t', String(holder.pid), '-m', '--']
  return { dir, wrap, fill, free: () => rmSync(filler) }
}

test.runIf(canMount)(
  'a full disk stops writes, and nothing else',
  { timeout: WITHIN_MS },
  async () => {
    const disk = await smallDisk()
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

    disk.fill()
    // What the write-ahead log has room for still succeeds.
    let refused = await write()
    for (let i = 0; refused.status === 201 && i < 500; i++) refused = await write()
    expect(await refused.json()).toMatchObject({ status: 507, code: 'storage_full' })
    expect(refused.headers.get('content-type')).toMatch(/problem\+json/)

    for (const path of ['/nodes', '/configs', '/rollouts', '/enrolment-tokens', '/session']) {
      expect((await controlPlane.ask('GET', path)).status, path).toBe(200)
    }
    expect((await controlPlane.ask('GET', '/health')).status).toBe(200)
    // What must be stored is refused so that the node says it again; what need not be is answered.
    expect((await hello()).status).toBe(507)
    expect([(await desired()).status, await (await desired()).json()]).toEqual([
      200,
      { assignment: null },
    ])

    disk.free()
    expect((await write()).status).toBe(201)
    expect((await hello()).status).toBe(200)

    disk.fill()
    for (let i = 0; i < 500 && (await write()).status === 201; i++);
    await controlPlane.end()
    disk.free()
    await controlPlane.start()
    expect((await write()).status).toBe(201)
  },
)
