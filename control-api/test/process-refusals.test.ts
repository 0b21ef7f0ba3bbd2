// SPDX-License-Identifier: MIT
// What the real service says when it cannot start as it was told to.
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDir } from './helper.ts'
import { admin } from './process-commands.ts'
import { serverEnv, start, startServer } from './processes.ts'
import { PROGRAMS } from './programs.ts'

describe('the service at its start', () => {
  test('says in one sentence that a port is taken, and how to go on', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => {
      taken.close()
    })
    await expect.poll(() => taken.address()).not.toBeNull()
    const address = taken.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const env = {
      ...serverEnv(tempDir()),
      FARMSTEAD_PORT: String(address.port),
      FARMSTEAD_LOG_LEVEL: 'silent',
    }
    const { code, stderr } = await start(PROGRAMS.server, [], env).ended
    expect(code).toBe(1)
    expect(stderr).toBe(
      `farmstead control plane: 127.0.0.1:${address.port} is taken. Stop what listens there, or set FARMSTEAD_PORT to a free port.\n`,
    )
  })

  test('says that others can read a key of its data folder', async () => {
    const dataDir = tempDir()
    writeFileSync(join(dataDir, 'secrets.key'), 'A'.repeat(43))
    chmodSync(join(dataDir, 'secrets.key'), 0o644)
    const { code, stderr } = await start(PROGRAMS.server, [], serverEnv(dataDir)).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/secrets\.key can be read by others \(mode 0644\)/)
    expect(stderr).not.toMatch(/ at .*\.ts:/)
  })

  test('says what is wrong with its environment', async () => {
    const { code, stderr } = await start(PROGRAMS.server, [], { FARMSTEAD_PORT: 'x' }).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/FARMSTEAD_DATA_DIR must name/)
    expect(stderr).not.toMatch(/ at .*\.ts:/)
  })

  test('is the only one on its data folder; the operator’s commands go beside it', async () => {
    const dataDir = tempDir()
    const first = await startServer(dataDir)
    const second = await start(PROGRAMS.server, [], serverEnv(dataDir)).ended
    expect([second.code, second.stderr]).toEqual([
      1,
      `farmstead control plane: A control plane runs on ${dataDir} already. Stop that one first, or set FARMSTEAD_DATA_DIR to another folder.\n`,
    ])
    expect((await admin(dataDir, 'init')).code).toBe(0)
    first.child.kill('SIGKILL')
    await first.ended
    await startServer(dataDir)
  })

  test('warns of a name in its environment that means nothing to it', async () => {
    const server = await startServer(tempDir(), { FARMSTEAD_TRUST_PROXIES: '10.0.0.0/8' })
    expect(server.out.stderr).toContain(
      'farmstead control plane: FARMSTEAD_TRUST_PROXIES is no setting; is FARMSTEAD_TRUST_PROXY meant? It was left out.\n',
    )
    expect(server.out.stderr).not.toContain('FARMSTEAD_DATA_DIR is no setting')
  })

  test('says that its data folder is no folder', async () => {
    const path = join(tempDir(), 'file')
    writeFileSync(path, '')
    const { code, stderr } = await start(PROGRAMS.server, [], serverEnv(path)).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/is not a folder. Set FARMSTEAD_DATA_DIR to one/)
  })
})
