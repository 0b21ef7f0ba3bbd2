// SPDX-License-Identifier: MIT
// The real service, as an operator runs it.
import { describe, expect, test } from 'vitest'
import { tempDir } from './helper.ts'
import { admin, setUp, tokenIn } from './process-commands.ts'
import { startServer } from './processes.ts'
import { SimulatedNode } from './simulated-node.ts'

describe('the service', () => {
  test('starts, prints where and how to begin, and stops cleanly on SIGTERM', async () => {
    const server = await startServer(tempDir())
    const done = await setUp(server.url, tokenIn(server.out.stdout, server.url))
    expect(done.status).toBe(201)
    const started = performance.now()
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
    // Of the five seconds after which it would end itself, with an error.
    expect(performance.now() - started).toBeLessThan(5000)
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
})
