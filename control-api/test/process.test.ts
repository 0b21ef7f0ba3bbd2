// SPDX-License-Identifier: MIT
// The real service, as an operator runs it.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDir } from './helper.ts'
import { admin, setUp, tokenIn } from './process-commands.ts'
import { serverEnv, start, startServer } from './processes.ts'
import { SimulatedNode } from './simulated-node.ts'

describe('the service', () => {
  test('starts, prints where and how to begin, and stops cleanly on SIGTERM', async () => {
    const server = await startServer(tempDir())
    const done = await setUp(server.url, tokenIn(server.out.stdout, server.url))
    expect(done.status).toBe(201)
    const started = performance.now()
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('prints a set-up link at each start, until there is a user', async () => {
    const dataDir = tempDir()
    const first = await startServer(dataDir)
    const token = tokenIn(first.out.stdout, first.url)
    first.child.kill('SIGINT')
    expect((await first.ended).code).toBe(0)
    const second = await startServer(dataDir)
    expect((await setUp(second.url, token)).status).toBe(401)
    expect((await setUp(second.url, tokenIn(second.out.stdout, second.url))).status).toBe(201)
    second.child.kill('SIGINT')
    await second.ended
    const third = await startServer(dataDir)
    expect(third.out.stdout).not.toMatch(/Set-up/)
  })

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
    const { code, stderr } = await start('server.ts', [], env).ended
    expect(code).toBe(1)
    expect(stderr).toBe(
      `farmstead control plane: 127.0.0.1:${address.port} is taken. Stop what listens there, or set FARMSTEAD_PORT to a free port.\n`,
    )
  })

  test('says what is wrong with its environment', async () => {
    const { code, stderr } = await start('server.ts', [], { FARMSTEAD_PORT: 'x' }).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/FARMSTEAD_DATA_DIR must name/)
    expect(stderr).not.toMatch(/ at .*\.ts:/)
  })

  test('is the only one on its data folder; the operator’s commands go beside it', async () => {
    const dataDir = tempDir()
    const first = await startServer(dataDir)
    const second = await start('server.ts', [], serverEnv(dataDir)).ended
    expect([second.code, second.stderr]).toEqual([
      1,
      `farmstead control plane: A control plane runs on ${dataDir} already. Stop that one first, or set FARMSTEAD_DATA_DIR to another folder.\n`,
    ])
    expect((await admin(dataDir, 'init')).code).toBe(0)
    first.child.kill('SIGKILL')
    await first.ended
    await startServer(dataDir)
  })

  test('says nothing in its log of what nodes say again and again', async () => {
    const dataDir = tempDir()
    const server = await startServer(dataDir)
    const { secret } = JSON.parse((await admin(dataDir, 'enrolment-token', '--json')).stdout)
    const agents = /Agents {2,}(\S+)/.exec(server.out.stdout)?.[1] ?? ''
    const node = await SimulatedNode.join(agents, secret, 'node-1')
    await node.hello()
    await node.report([])
    await node.report([])
    server.child.kill('SIGTERM')
    const { stderr } = await server.ended
    const paths = [...stderr.matchAll(/"path":"(\/agent[^"]+)"/g)].map(([, path]) => path)
    expect(paths).toEqual(['/agent/v1/enrol', '/agent/v1/hello'])
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
    const { code, stderr } = await start('server.ts', [], serverEnv(path)).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/is not a folder. Set FARMSTEAD_DATA_DIR to one/)
  })
})
