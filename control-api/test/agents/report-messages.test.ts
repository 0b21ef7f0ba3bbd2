// SPDX-License-Identifier: MIT
// Reports of nodes, and the poll that waits within one.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { ReportResponse } from '../../src/agent-protocol/messages.gen.ts'
import { build, shared } from '../helper.ts'
import { effectiveOf, fits } from './message-bodies.ts'
import { about, assign, DIGEST, enrolNode, OTHER_DIGEST } from './node-client.ts'

/** Whoever ends it has one of its own. */
const sharedService = shared()

describe('report', () => {
  test('is acknowledged by sequence, once, and its gauges show', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    for (let i = 0; i < 2; i += 1) {
      const response = await node.report()
      expect(response.statusCode).toBe(200)
      expect(fits('report.response', response.json())).toBe(true)
      expect(response.json()).toEqual({ acknowledgedSeq: 13 })
    }
    const shown = await node.show()
    expect(shown.gauges).toEqual({ openConnections: 3, cacheBytes: 6291456 })
    expect(shown.latency).toMatchObject({ windowSeconds: 60, requests: 5 })
  })

  test('is taken at once, and answered when its time is over', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    const started = performance.now()
    const waiting = node.report({ desired: { have: null, waitMs: 1_500 } })
    await vi.waitFor(async () =>
      expect((await node.show()).gauges).toMatchObject({ openConnections: 3 }),
    )
    const answer = (await waiting).json()
    expect(fits('report.response', answer)).toBe(true)
    expect(answer).toEqual({ acknowledgedSeq: 13, desired: { assignment: null } })
    expect(performance.now() - started).toBeGreaterThan(1_495)
  })

  test('is answered as soon as there is something to run, and by a service that stops', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    const report = (generation: number) => {
      const have = generation > 0 ? { generation, digest: DIGEST } : null
      return node.report({ desired: { have, waitMs: 20_000, challenges: [] } })
    }
    const started = performance.now()
    const waiting = report(0)
    await sleep(150)
    await assign(service, { nodeId: node.id })
    const answer = (await waiting).json<ReportResponse>()
    expect(answer).toMatchObject({
      acknowledgedSeq: 13,
      desired: { assignment: { generation: 1 } },
    })
    // What there is already is not waited for.
    expect((await report(0)).json<ReportResponse>().desired?.assignment?.generation).toBe(1)
    const last = report(1)
    await sleep(150)
    await service.close()
    expect((await last).json()).toEqual({ acknowledgedSeq: 13, desired: { assignment: null } })
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  test('makes drift visible: something runs that nobody assigned', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    await assign(service, { nodeId: node.id })
    const offer = about(await node.offer())
    await node.say('ack', offer.ack)
    await node.say('result', offer.applied)
    await node.say('confirm', offer.confirm)
    await node.report({ effective: effectiveOf(1, OTHER_DIGEST) })
    const { sync } = await node.show()
    expect(sync).toMatchObject({
      state: 'drift',
      effective: { digest: OTHER_DIGEST, version: null },
    })
  })

  test('may be larger than the other messages, not without end', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    const padding = 'x'.repeat(2 * 1024 * 1024)
    const large = await node.report({ padding } as never)
    expect(large.statusCode).toBe(200)
    const tooLarge = await node.say('ack', { padding })
    expect(tooLarge.json()).toMatchObject({ status: 413, code: 'too_large' })
  })
})
