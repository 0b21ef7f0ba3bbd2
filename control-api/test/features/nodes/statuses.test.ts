// SPDX-License-Identifier: MIT
// What a running node would answer, with the files that are there.
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { CheckRequest } from '../../../src/agent-protocol/messages.gen.ts'
import { enrolNode, example } from '../../agents/node-client.ts'
import { build } from '../../helper.ts'
import { realFarm } from '../rollouts/real-farm.ts'

const WHOLE_TEST_MS = 400_000
const NOBODY = `node_${'0'.repeat(26)}`

async function setUp() {
  const service = await build()
  const node = await enrolNode(service)
  await node.hello()
  const viewer = await service.as('viewer')
  const ask = async (urls: string[], id = node.id) => {
    const url = `/api/v1/nodes/${id}/statuses`
    const response = await viewer.inject({ method: 'POST', url, payload: { urls } })
    return { status: response.statusCode, json: response.json() }
  }
  return { service, node, ask }
}

describe('POST /nodes/{id}/statuses', () => {
  test('asks the node by host and path, and not about what it has no words for', async () => {
    const { node, ask } = await setUp()
    const poll = node.desired(null, 20_000)
    await sleep(50)
    const urls = ['https://a.test:8443?x=1', 'http://[::1]/', 'http://b.test/c%20d']
    const asking = ask(urls)
    const { request } = (await poll).json()
    expect(request).toMatchObject({
      ...{ kind: 'check', text: '{}' },
      paths: [
        { host: 'a.test', path: '/?x=1' },
        { host: 'b.test', path: '/c%20d' },
      ],
    })
    const paths = [
      { running: 404, offered: null },
      { running: null, offered: 200 },
    ]
    const said = { ...example<CheckRequest>('check.request'), requestId: request.requestId, paths }
    expect((await node.say('check', said)).statusCode).toBe(200)
    const statuses = [404, null, null]
    const items = urls.map((url, i) => ({ url, status: statuses[i] }))
    expect(await asking).toEqual({ status: 200, json: { nodeId: node.id, items } })
  })

  test('is answered 504 at once when the node is away, 404 when there is none, 400 for no URL', async () => {
    const { service, node, ask } = await setUp()
    service.fleet.cutOff(node.id)
    expect(await ask(['http://a.test/'])).toMatchObject({
      status: 504,
      json: { code: 'node_did_not_answer', detail: expect.stringContaining('is not connected') },
    })
    expect((await ask(['http://a.test/'], NOBODY)).status).toBe(404)
    for (const urls of [[], ['/x'], Array<string>(21).fill('http://a.test/')]) {
      expect((await ask(urls)).status).toBe(400)
    }
    const url = `/api/v1/nodes/${node.id}/statuses`
    const payload = { urls: ['http://a.test/'] }
    const stranger = await service.anonymous.inject({ method: 'POST', url, payload })
    expect(stranger.statusCode).toBe(401)
  })

  test(
    'a real node says of each file whether it is there',
    async () => {
      const service = await realFarm(1)
      const root = service.rootWith('a page')
      writeFileSync(join(root, 'other.html'), 'another')
      symlinkSync('/nowhere', join(root, 'broken.html'))
      chmodSync(join(root, 'other.html'), 0o644)
      await service.ends((await service.order(await service.save(root))).id, 'succeeded')
      const [id] = service.fleet.connectedIds()
      const urls = ['/', '/other.html?q', '/broken.html', '/none'].map((path) => `http://a${path}`)
      const url = `/api/v1/nodes/${id}/statuses`
      const said = await service.admin.inject({ method: 'POST', url, payload: { urls } })
      const statuses = (said.json().items as { status: number }[]).map(({ status }) => status)
      expect(statuses).toEqual([200, 200, 404, 404])
    },
    WHOLE_TEST_MS,
  )
})
