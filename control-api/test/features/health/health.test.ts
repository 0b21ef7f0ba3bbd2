// SPDX-License-Identifier: MIT
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { build, tempDir } from '../../helper.ts'

/** Stands in for a farmstead-node of another version; counts how often it is run. */
function fakeBinary() {
  const dir = tempDir()
  const [path, runs] = [join(dir, 'farmstead-node'), join(dir, 'runs')]
  writeFileSync(runs, '')
  writeFileSync(path, `#!/bin/sh\necho x >> ${runs}\necho "farmstead-node 7.8.9 (libuv 1.44.2)"\n`)
  chmodSync(path, 0o755)
  return { path, runs: () => readFileSync(runs, 'utf8').length / 2 }
}

describe('GET /health', () => {
  test('needs no session, and says what each part is up to', async () => {
    const { anonymous } = await build({ config: { nodeBinary: fakeBinary().path } })
    const response = await anonymous.inject({ url: '/api/v1/health' })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      status: 'ok',
      checks: [
        { name: 'control-db', ok: true, attention: false },
        { name: 'metrics-db', ok: true },
        { name: 'node-check', ok: true, message: 'farmstead-node 7.8.9' },
        { name: 'agent-ca', ok: true, attention: true },
        { name: 'certificates', ok: true },
        { name: 'backup', ok: true, attention: true },
      ],
    })
  })

  test('is degraded, not down, without the binary that checks configs', async () => {
    const { anonymous } = await build({ config: { nodeBinary: '/nowhere/farmstead-node' } })
    const response = await anonymous.inject({ url: '/api/v1/health' })
    expect(response.statusCode).toBe(200)
    expect(response.json().status).toBe('degraded')
    expect(response.json().checks[2].message).toMatch(/set FARMSTEAD_NODE_BINARY/)
  })

  test('is down without the control database', async () => {
    const { anonymous, services } = await build()
    await services.db.schema.dropTable('meta').execute()
    expect((await anonymous.inject({ url: '/api/v1/health' })).statusCode).toBe(503)
  })

  test('does not run a process per question', async () => {
    const binary = fakeBinary()
    const { anonymous } = await build({ config: { nodeBinary: binary.path } })
    await Promise.all([1, 2, 3, 4].map(() => anonymous.inject({ url: '/api/v1/health' })))
    expect(binary.runs()).toBe(1)
  })
})

describe('GET /system', () => {
  test('says what this control plane is and where nodes dial', async () => {
    const { admin, anonymous, services } = await build({
      config: { nodeBinary: fakeBinary().path },
    })
    expect((await anonymous.inject({ url: '/api/v1/system' })).statusCode).toBe(401)
    expect((await admin.inject({ url: '/api/v1/system' })).json()).toMatchObject({
      controlPlaneId: services.controlPlaneId,
      epoch: 1,
      agentListener: { url: 'http://127.0.0.1:9701', transport: 'insecure-http' },
      certificateAuthority: null,
      nodeBinaryVersion: '7.8.9',
    })
  })

  test('says which CA there is, and how long it is good', async () => {
    const { admin, anonymous } = await build({
      config: { agentTransport: 'mtls', agentUrl: 'https://127.0.0.1:9701' },
    })
    const { certificateAuthority, agentListener } = (
      await admin.inject({ url: '/api/v1/system' })
    ).json()
    expect(agentListener).toEqual({ url: 'https://127.0.0.1:9701', transport: 'mtls' })
    expect(certificateAuthority).toMatchObject({
      fingerprint: expect.stringMatching(/^[\w-]{43}$/),
      nextFingerprint: null,
    })
    const health = (await anonymous.inject({ url: '/api/v1/health' })).json()
    expect(health.checks[3]).toMatchObject({ name: 'agent-ca', ok: true })
  })

  test('is degraded in the last year of the CA', async () => {
    let now = Date.now()
    const service = await build({
      now: () => now,
      config: {
        agentTransport: 'mtls',
        agentUrl: 'https://127.0.0.1:9701',
        nodeBinary: fakeBinary().path,
      },
    })
    now += 9.2 * 365 * 24 * 3600 * 1000
    const health = (await service.anonymous.inject({ url: '/api/v1/health' })).json()
    expect(health.status).toBe('degraded')
    expect(health.checks[3].message).toMatch(/"admin ca rotate"/)
  })
})
