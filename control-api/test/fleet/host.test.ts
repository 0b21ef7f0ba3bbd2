// SPDX-License-Identifier: MIT
// What only the node can tell: the tail of its error log, and how its machine is.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { Host, LogsRequest } from '../../src/agent-protocol/messages.gen.ts'
import { type HostSample, viewHost } from '../../src/fleet/host.ts'
import { assign, enrolNode, example } from '../agents/node-client.ts'
import { build } from '../helper.ts'

describe('POST /nodes/{id}/error-log', () => {
  const setUp = async (logTailWithinMs = 5000) => {
    const service = await build({ logTailWithinMs })
    const node = await enrolNode(service)
    await node.hello()
    const viewer = await service.as('viewer')
    const read = async (payload: object = {}, id = node.id) => {
      const url = `/api/v1/nodes/${id}/error-log`
      const response = await viewer.inject({ method: 'POST', url, payload })
      return { status: response.statusCode, json: response.json() }
    }
    return { service, node, read }
  }
  const logs = example<LogsRequest>('logs.request')

  test('asks the node through its long poll, and gives what it sends', async () => {
    const { node, read } = await setUp()
    const poll = node.desired(null, 20_000)
    await sleep(50)
    const reading = read({ lines: 7 })
    const { assignment, request } = (await poll).json()
    expect(assignment).toBeNull()
    expect(request).toMatchObject({ kind: 'errorLog', lines: 7 })
    const sent = await node.say('logs', { ...logs, requestId: request.requestId, droppedLines: 3 })
    expect([sent.statusCode, sent.json()]).toEqual([200, {}])
    expect(await reading).toEqual({
      status: 200,
      json: {
        lines: logs.lines.map(({ timeMs, level, text }) => ({
          at: new Date(timeMs).toISOString(),
          level,
          text,
        })),
        droppedLines: 3,
      },
    })
  })

  test('rides along with an assignment, and is put once', async () => {
    const { service, node, read } = await setUp()
    const woken = vi.spyOn(service.fleet, 'wake')
    const reading = read()
    await expect.poll(() => woken).toHaveBeenCalledWith(node.id)
    await assign(service, { nodeId: node.id })
    const first = (await node.desired(null)).json()
    expect(first.assignment).toMatchObject({ generation: 1 })
    expect(first.request).toMatchObject({ lines: 100 })
    expect((await node.desired(null)).json()).not.toHaveProperty('request')
    await node.say('logs', { ...logs, requestId: first.request.requestId })
    expect((await reading).status).toBe(200)
  })

  test('is answered 504 when the node says nothing, at once when it is not there', async () => {
    const { service, node, read } = await setUp(100)
    const silent = await read()
    expect(silent).toMatchObject({ status: 504, json: { code: 'node_did_not_answer' } })
    service.fleet.cutOff(node.id)
    const gone = await read()
    expect(gone.json).toMatchObject({
      status: 504,
      detail: expect.stringMatching(/is not connected/),
    })
    expect((await read({}, 'node_01jd4q6v2m8w3x5y7z9abcdefg')).status).toBe(404)
    expect((await read({ lines: 501 })).status).toBe(400)
  })

  test('takes no lines of another node, and none that nobody waits for', async () => {
    const { service, node, read } = await setUp(400)
    const other = await enrolNode(service)
    await other.hello()
    const poll = node.desired(null, 20_000)
    await sleep(50)
    const reading = read()
    const { request } = (await poll).json()
    const forged = await other.say('logs', { ...logs, requestId: request.requestId })
    expect(forged.statusCode).toBe(200)
    expect((await reading).status).toBe(504)
    const late = await node.say('logs', { ...logs, requestId: request.requestId })
    expect(late.statusCode).toBe(200)
  })

  test('does not pile up', async () => {
    const { read } = await setUp(300)
    const all = await Promise.all(Array.from({ length: 10 }, () => read()))
    expect(all.map((one) => one.status).sort()).toEqual([
      ...Array.from({ length: 2 }, () => 429),
      ...Array.from({ length: 8 }, () => 504),
    ])
  })
})

describe('the machine', () => {
  const facts = example<{ host: Host }>('report.request.host').host
  const sample = (changes: Partial<Host>, uptimeMs: number, bootId = 'a'): HostSample => ({
    facts: { ...facts, ...changes },
    bootId,
    uptimeMs,
    atMs: 1000,
  })
  const [disk, unknown] = facts.roots
  if (!disk || !unknown) throw new Error('the example has two roots')

  test('is shown with the newest facts, and without rates until there are two', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    expect((await node.show()).host).toBeNull()
    await node.report({ host: facts, uptimeMs: 60_000 })
    const first = (await node.show()).host
    expect(first).toMatchObject({ cpuCount: 8, residentBytes: 31_457_280, cpuBusyRatio: null })
    const later = { ...disk, readBytesTotal: 9_437_184_000 + 5_000_000 }
    const host = { ...facts, cpuBusySeconds: 5215.37, roots: [later, unknown] }
    await node.report({ host, uptimeMs: 65_000 })
    const second = (await node.show()).host
    expect(second.cpuBusyRatio).toBeCloseTo(4 / 5 / 8)
    expect(second.roots[0].readBytesPerSecond).toBe(1_000_000)
    expect(second.roots[1]).toMatchObject({ totalBytes: null, readBytesPerSecond: null })
  })

  test('has a clock, held against ours by the report that was under way least', async () => {
    let now = 1_800_000_000_000
    const service = await build({ now: () => now })
    const node = await enrolNode(service)
    await node.hello()
    const { unixTimeMs: _, ...silent } = facts
    await node.report({ host: silent, uptimeMs: 55_000 })
    expect((await node.show()).host.clockOffsetSeconds).toBeNull()
    const report = (aheadMs: number, uptimeMs: number) => {
      now += 5_000
      return node.report({ host: { ...facts, unixTimeMs: now + aheadMs }, uptimeMs })
    }
    await report(6_200, 60_000)
    await report(1_000, 65_000)
    expect((await node.show()).host.clockOffsetSeconds).toBe(6.2)
    // Somebody set its time.
    for (let i = 1; i <= 6; i++) await report(-20, 65_000 + i * 5_000)
    expect((await node.show()).host.clockOffsetSeconds).toBe(-0.02)
  })

  test('of a node that does not tell is unknown, not zero', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    await node.report()
    expect((await node.show()).host).toBeNull()
  })

  test.each([
    ['another start of the server', sample({}, 60_000, 'b')],
    ['the same moment', sample({}, 65_000)],
    [
      'a machine that started anew',
      sample(
        { cpuBusySeconds: 9999, roots: [{ ...disk, readBytesTotal: 1e13, readsTotal: 1e9 }] },
        60_000,
      ),
    ],
    [
      'a root on another device',
      sample({ cpuBusySeconds: null, roots: [{ ...disk, device: 'sdb' }] }, 60_000),
    ],
  ])('has no rates since %s', (_, before) => {
    const view = viewHost(sample({}, 65_000), before)
    expect(view.cpuBusyRatio).toBeNull()
    expect(view.roots[0]).toMatchObject({ readBytesPerSecond: null, readsPerSecond: null })
  })

  test('counts reads, and how long one took', () => {
    const before = {
      ...disk,
      readsTotal: (disk.readsTotal ?? 0) - 10,
      readMilliseconds: (disk.readMilliseconds ?? 0) - 25,
    }
    const view = viewHost(sample({}, 65_000), sample({ roots: [before] }, 60_000))
    expect(view.roots[0]).toMatchObject({
      readsPerSecond: 2,
      millisecondsPerRead: 2.5,
      readBytesPerSecond: 0,
    })
    const idle = viewHost(sample({}, 65_000), sample({}, 60_000))
    expect(idle.roots[0]).toMatchObject({ readsPerSecond: 0, millisecondsPerRead: null })
  })
})
