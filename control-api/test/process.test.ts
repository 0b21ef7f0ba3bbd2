// SPDX-License-Identifier: MIT
// The real processes: the service and the operator's commands, as an operator runs them.
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDir } from './helper.ts'
import { serverEnv, start, startServer } from './processes.ts'
import { SimulatedNode } from './simulated-node.ts'

const admin = (dataDir: string, ...args: string[]) =>
  start('admin/program.ts', args, {
    FARMSTEAD_DATA_DIR: dataDir,
    FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
  }).ended

const tokenIn = (stdout: string, url: string) =>
  new RegExp(`Set-up {11}${url}/setup#(fss_\\S+)`).exec(stdout)?.[1] ?? ''

const setUp = (url: string, token: string) =>
  fetch(`${url}/api/v1/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, username: 'ana', password: 'my very own password' }),
  })

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

describe('the agents’ listener', () => {
  const mtls = (dataDir: string) => {
    const { FARMSTEAD_AGENT_TRANSPORT: _, ...env } = serverEnv(dataDir)
    return { ...env, FARMSTEAD_AGENT_URL: 'https://127.0.0.1:9701' }
  }

  test('speaks TLS unless told otherwise, and prints so', async () => {
    const server = start('server.ts', [], mtls(tempDir()))
    await expect.poll(() => server.out.stdout).toMatch(/Agents/)
    expect(server.out.stdout).toMatch(/Agents {11}https:\/\/127\.0\.0\.1:\d+ {2}\(mutual TLS\)/)
  })

  test('does not start with a CA that others can read, and says what to do', async () => {
    const dataDir = tempDir()
    await start('admin/program.ts', ['enrolment-token'], { FARMSTEAD_DATA_DIR: dataDir }).ended
    chmodSync(join(dataDir, 'ca.key'), 0o644)
    const { code, stderr } = await start('server.ts', [], mtls(dataDir)).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^farmstead control plane: .*ca\.key can be read by others \(mode 0644\)/,
    )
    expect(stderr).not.toMatch(/ at .*\.ts:/)
  })

  // Seven processes, one after the other: on a busy machine that takes longer than a test may by default.
  test('takes its CA from the operator’s commands', { timeout: 90_000 }, async () => {
    const dataDir = tempDir()
    const env = { FARMSTEAD_DATA_DIR: dataDir }
    const ca = async (...args: string[]) =>
      await start('admin/program.ts', ['ca', ...args], env).ended
    const none = await ca('rotate')
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringMatching(/^admin: There is no .*ca\.key/),
    ])
    const { stdout } = await start('admin/program.ts', ['enrolment-token', '--json'], env).ended
    const { secret, token, command } = JSON.parse(stdout)
    expect(command).toContain(`https://127.0.0.1:9701 --token ${token}`)
    const { fingerprint } = JSON.parse((await ca('rotate', '--json')).stdout)
    const status = (await ca('status')).stdout
    expect(status).toContain(token.replace(`${secret}.`, ''))
    expect(status).toMatch(new RegExp(`next +${fingerprint}.*\\n.*nobody\\n.*nobody`))
    expect(JSON.parse((await ca('finish-rotation', '--json')).stdout)).toEqual({ fingerprint })
    expect((await ca('recreate')).code).toBe(2)
    const fresh = JSON.parse((await ca('recreate', '--yes', '--json')).stdout)
    expect(fresh.fingerprint).not.toBe(fingerprint)
  })
})

describe('the operator’s commands', () => {
  test('raise-epoch wants to be meant, and says when there is nothing to raise', async () => {
    const dataDir = tempDir()
    expect((await admin(dataDir, 'raise-epoch')).code).toBe(2)
    expect((await admin(dataDir, 'raise-epoch', '--yes')).stdout).toMatch(/Nothing to do/)
  })

  test('init gives a new set-up token until there is a user, while the service runs', async () => {
    const dataDir = tempDir()
    const first = JSON.parse((await admin(dataDir, 'init', '--json')).stdout)
    const server = await startServer(dataDir)
    const second = JSON.parse((await admin(dataDir, 'init', '--json')).stdout)
    expect(second).toEqual({ setupToken: expect.stringMatching(/^fss_/) })
    expect((await setUp(server.url, first.setupToken)).status).toBe(401)
    expect((await setUp(server.url, second.setupToken)).status).toBe(201)
    expect(JSON.parse((await admin(dataDir, 'init', '--json')).stdout)).toEqual({
      setupToken: null,
    })

    const args = ['reset-admin-password', '--user', 'ana', '--json']
    const reset = JSON.parse((await admin(dataDir, ...args)).stdout)
    const signedIn = await fetch(`${server.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'ana', password: reset.password }),
    })
    expect(await signedIn.json()).toMatchObject({ passwordChangeRequired: true })
  })

  test('enrolment-token makes a token a node can use', async () => {
    const dataDir = tempDir()
    const args = [
      '--label',
      'zone=north',
      '--label',
      'rack=7',
      '--max-uses',
      '3',
      '--expires',
      '2h',
    ]
    const patch = ['--merge-patch', '{"listen":[{"port":8101}]}', '--forget-after', '6']
    const { stdout } = await admin(dataDir, 'enrolment-token', ...args, ...patch, '--json')
    const token = JSON.parse(stdout)
    expect(token).toMatchObject({
      labels: { zone: 'north', rack: '7' },
      maxUses: 3,
      forgetAfterHours: 6,
      createdBy: null,
    })
    expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBe(2 * 3600_000)
    expect(token.command).toContain(`--token ${token.secret}`)
  })

  test.each([
    [['enrolment-token', '--label', 'Zone'], /key=value/],
    [['reset-admin-password', '--user', 'a b'], /letters, digits/],
    [['enrolment-token', '--expires', '1 hour'], /30m, 1h or 7d/],
    [['enrolment-token', '--merge-patch', '[]'], /must be a JSON object/],
    [['import-config', '--name', 'default'], /required option/],
    [['frobnicate'], /unknown command/],
  ])('bad usage gets a line and exit code 2: %j', async (args, line) => {
    const { code, stderr } = await admin(tempDir(), ...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(line)
  })

  test('a file that is not there gets a line and exit code 1', async () => {
    const args = ['--name', 'default', '--file', '/nowhere.jsonc', '--message', 'm']
    const { code, stderr } = await admin(tempDir(), 'import-config', ...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^admin: .*nowhere\.jsonc/)
    expect(stderr).not.toMatch(/ at /)
  })
})
