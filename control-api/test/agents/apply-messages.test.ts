// SPDX-License-Identifier: MIT
// One apply as its messages tell it, from the offer to what the node runs.
import { describe, expect, test } from 'vitest'
import { build, shared } from '../helper.ts'
import { effectiveOf, fits } from './message-bodies.ts'
import { about, assign, DIGEST, enrolNode, OTHER_DIGEST } from './node-client.ts'

const sharedService = shared()

describe('one apply', () => {
  test('goes from offered to in sync, with the three digests shown on the way', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    const text = '{ "listen": [{ "address": "0.0.0.0", "port": 8080 }] }'
    await assign(service, { nodeId: node.id, text, version: 3 })
    expect((await node.show()).sync).toMatchObject({ state: 'applying', acknowledged: null })

    const offer = about(await node.offer())
    expect(fits('empty.response', (await node.say('ack', offer.ack)).json())).toBe(true)
    expect((await node.show()).sync).toMatchObject({
      state: 'applying',
      acknowledged: { digest: DIGEST, version: { config: 'default', number: 3 } },
      effective: null,
    })

    await node.say('result', offer.applied)
    const confirmed = await node.say('confirm', offer.confirm)
    expect(fits('confirm.response', confirmed.json())).toBe(true)
    expect(confirmed.json()).toEqual({ confirmed: true, retryAfterMs: 0 })
    expect(await node.show()).toMatchObject({
      urls: ['http://edge-1.example.org:8080/'],
      lastResult: { outcome: 'applied' },
      sync: {
        state: 'in-sync',
        desired: { version: { config: 'default', number: 3 } },
        effective: { digest: DIGEST, version: { config: 'default', number: 3 } },
      },
    })
    const config = await service.admin.inject({ url: `/api/v1/nodes/${node.id}/effective-config` })
    expect(config.json()).toEqual({
      ...{ text, generation: 1, digest: DIGEST, releases: [], desiredText: text },
    })
  })

  test('takes each message once, however often it comes', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    await assign(service, { nodeId: node.id })
    const offer = about(await node.offer())
    for (const [message, body] of [
      ['ack', offer.ack],
      ['result', offer.applied],
      ['confirm', offer.confirm],
    ] as const) {
      const first = await node.say(message, body)
      const second = await node.say(message, body)
      expect([second.statusCode, second.json()]).toEqual([200, first.json()])
    }
    const events = await service.services.db.selectFrom('events').select('action').execute()
    for (const action of ['acked', 'applied', 'confirmed']) {
      expect(events.filter((event) => event.action === action)).toHaveLength(1)
    }
  })

  test('refused: the reason with its positions is on the node', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    await assign(service, { nodeId: node.id, version: 2 })
    expect((await node.say('nack', about(await node.offer()).nack)).statusCode).toBe(200)
    const { sync, lastResult } = await node.show()
    expect(sync.state).toBe('out-of-sync')
    expect(sync.reason).toMatch(/refused default v2.*does not exist/)
    expect(lastResult).toMatchObject({
      outcome: 'refused',
      code: 'missing_file',
      errors: [{ pointer: '/sites/0/root', line: 3, column: 41 }],
    })
    expect((await node.desired({ generation: 1, digest: DIGEST })).json().assignment).toBeNull()
  })

  test('gone back on: the confirmation came too late', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    await assign(service, { nodeId: node.id })
    const offer = about(await node.offer())
    await node.say('ack', offer.ack)
    await node.say('result', offer.applied)
    await node.say('result', offer.reverted)
    const { effective } = (await node.show()).sync
    expect((await node.say('confirm', offer.confirm)).json()).toMatchObject({ confirmed: false })
    // It was said before the way back, and tells nothing of what runs after it.
    expect((await node.show()).sync.effective).toEqual(effective)
    expect((await node.show()).lastResult).toMatchObject({
      outcome: 'reverted',
      code: 'unconfirmed',
    })
  })

  test('is not confirmed while something else runs', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    await assign(service, { nodeId: node.id })
    const offer = about(await node.offer())
    await node.say('ack', offer.ack)
    const confirm = { ...offer.confirm, effective: effectiveOf(1, OTHER_DIGEST) }
    expect((await node.say('confirm', confirm)).json()).toMatchObject({ confirmed: false })
  })

  test('is confirmed again when the answer was lost, also beside a newer one', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    await assign(service, { nodeId: node.id })
    const older = about(await node.offer())
    await node.say('ack', older.ack)
    await node.say('result', older.applied)
    const answers = [await node.say('confirm', older.confirm)]
    await assign(service, { nodeId: node.id, digest: OTHER_DIGEST })
    answers.push(await node.say('confirm', older.confirm))
    for (const answer of answers)
      expect(answer.json()).toEqual({ confirmed: true, retryAfterMs: 0 })
  })

  test('is superseded by a newer assignment', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    await assign(service, { nodeId: node.id })
    const older = about(await node.offer())
    await assign(service, { nodeId: node.id, digest: OTHER_DIGEST })
    for (const [message, body] of [
      ['ack', older.ack],
      ['nack', older.nack],
      ['confirm', older.confirm],
    ] as const) {
      expect((await node.say(message, body)).json()).toMatchObject({
        status: 409,
        code: 'superseded',
      })
    }
    const wrongDigest = about(await node.offer(), DIGEST)
    expect((await node.say('ack', wrongDigest.ack)).json()).toMatchObject({ code: 'superseded' })
    const unknown = { ...older.applied, offerId: 'offer_01jd4q6v2m8w3x5y7z9abcdefh' }
    expect((await node.say('result', unknown)).json()).toMatchObject({ code: 'superseded' })
  })

  test('is known after an outage from the result that hello carries', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    await assign(service, { nodeId: node.id })
    const offer = about(await node.offer())
    await node.say('ack', offer.ack)
    await node.hello({ lastResult: offer.reverted as never })
    expect((await node.show()).lastResult).toMatchObject({ outcome: 'reverted' })
  })
})
