// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { AuditEntry } from '../../lib/api-types.ts'
import { alert, rollout, version } from '../../test/samples.ts'
import { changesOf, type Lists } from './changes.ts'

const BEGIN = Date.parse('2026-11-20T00:00:00Z') / 1000
const at = (minutes: number) => new Date((BEGIN + minutes * 60) * 1000).toISOString()
const none: Lists = { versions: [], rollouts: [], alerts: [], deeds: [] }
const told = (lists: Partial<Lists>, from = BEGIN) =>
  changesOf({ ...none, ...lists }, from).map(({ text, who }) => (who ? `${text} by ${who}` : text))

const entry = (change: Partial<AuditEntry>): AuditEntry => ({
  ...{ id: 7, at: at(1), kind: 'group', object: 'edge', objectName: null, action: 'changed' },
  ...{ actor: 'ana', actorName: null, by: 'people', via: 'session', tokenId: null },
  ...{ requestId: null, address: null, ...change },
})
const ended = { state: 'succeeded', startedAt: at(20), endedAt: at(30) } as const

describe('what changed', () => {
  test('is one list by time, however its lists were ordered, each with who did it', () => {
    const lists = {
      versions: [version({ number: 2, createdAt: at(40) }), version({ createdAt: at(10) })],
      rollouts: [rollout(ended)],
      alerts: [alert({ state: 'resolved', firingSince: at(25), resolvedAt: at(35) })],
      deeds: [entry({ at: at(5) })],
    }
    expect(told(lists)).toEqual([
      'Version 2 of default saved by ana',
      'Node silent: edge-1 resolved',
      'Rollout of default version 2 succeeded',
      'Node silent: edge-1 fired',
      'Rollout of default version 2 started by ana',
      'Version 2 of default saved by ana',
      'Group edge changed by ana',
    ])
  })

  test('keeps all of one moment, each under a key of its own', () => {
    const lists = {
      versions: [
        version({ number: 2, createdAt: at(1) }),
        version({ number: 3, createdAt: at(1) }),
      ],
      rollouts: [rollout({ state: 'cancelled', startedAt: at(1), endedAt: at(1) })],
      deeds: [entry({ id: 1 }), entry({ id: 2 })],
    }
    const changes = changesOf({ ...none, ...lists }, BEGIN)
    expect(changes).toHaveLength(6)
    expect(new Set(changes.map(({ key }) => key)).size).toBe(6)
  })

  test('begins with the range, to the second, and has every day of it', () => {
    const versions = [0, 1, 2, 3].map((day) =>
      version({ number: day + 1, createdAt: at(day * 24 * 60) }),
    )
    expect(told({ versions })).toHaveLength(4)
    expect(told({ versions }, BEGIN + 1)).toHaveLength(3)
  })

  test('says why a rollout ended otherwise than it should', () => {
    const of = (state: 'succeeded' | 'reverted') =>
      changesOf({ ...none, rollouts: [rollout({ ...ended, state, reason: 'Too slow.' })] }, BEGIN)
    const back = { text: 'Rollout of default version 2 was reverted', note: 'Too slow.' }
    expect(of('reverted')[0]).toMatchObject(back)
    expect(of('succeeded')[0]).toMatchObject({ note: '' })
    expect(of('succeeded')[1]).toMatchObject({ note: 'Longer caching' })
  })

  test('says who ended a rollout, and who had it go back, where the audit is read', () => {
    const of = (state: 'cancelled' | 'reverted') => rollout({ ...ended, state })
    const deed = (action: string) =>
      entry({ kind: 'rollout', object: rollout().id, actor: 'bo', at: at(30), action })
    const cancelled = told({ rollouts: [of('cancelled')], deeds: [deed('cancelled')] })
    expect(cancelled[0]).toBe('Rollout of default version 2 was cancelled by bo')
    const back = told({ rollouts: [of('reverted')], deeds: [deed('reverting')] })
    expect(back.slice(0, 2)).toEqual([
      'Rollout of default version 2 was reverted',
      'Rollout of default version 2 began to go back by bo',
    ])
  })

  test('tells of an alert that was never told nothing', () => {
    expect(told({ alerts: [alert({ state: 'resolved', firingSince: null })] })).toEqual([])
  })

  test('has pauses of rollouts from the audit, and its start once', () => {
    const one = rollout(ended)
    const of = (id: number, action: string, minutes: number, actor: string | null = 'bo') =>
      entry({ id, kind: 'rollout', object: one.id, action, at: at(minutes), actor })
    const deeds = [
      of(1, 'created', 19),
      of(2, 'running', 20),
      of(3, 'task-done', 21),
      of(4, 'paused', 22, null),
      of(5, 'running', 23),
    ]
    expect(told({ rollouts: [one], deeds })).toEqual([
      'Rollout of default version 2 succeeded',
      'Rollout of default version 2 was resumed by bo',
      'Rollout of default version 2 was paused',
      'Rollout of default version 2 started by ana',
    ])
    expect(told({ deeds })).toEqual(['A rollout was paused'])
  })

  test('says what people did in words and names, never with an id', () => {
    const one = alert({ firingSince: null })
    const deeds = [
      entry({ kind: 'node', object: `node_${'0'.repeat(26)}`, objectName: 'edge-7' }),
      entry({ kind: 'certificate-authority', object: 'lets-encrypt', action: 'created' }),
      entry({ kind: 'dns-webhook', object: 'zones', action: 'secret-rotated' }),
      entry({ kind: 'webhook', object: `webhook_${'0'.repeat(26)}`, tokenId: 'token_1' }),
      entry({ kind: 'rollout', object: 'rules', action: 'rules-changed' }),
      entry({ kind: 'alert', object: one.id, action: 'acknowledged' }),
    ]
    expect(told({ deeds, alerts: [one] })).toEqual([
      'Node edge-7 changed by ana',
      'Certificate authority lets-encrypt created by ana',
      'DNS webhook zones secret rotated by ana',
      'Webhook changed by ana, by a token',
      'Rollout rules changed by ana',
      'Alert Node silent: edge-1 acknowledged by ana',
    ])
  })

  test('leaves out what changes nothing, and what another list tells', () => {
    const deeds = [
      entry({ kind: 'session', object: 'user_1', action: 'signed-in' }),
      entry({ kind: 'config', object: 'default', action: 'version-created' }),
    ]
    expect(told({ deeds })).toEqual([])
  })

  test('leads to the list that has the alert now', () => {
    const to = (change: Parameters<typeof alert>[0]) =>
      changesOf({ ...none, alerts: [alert({ firingSince: at(1), ...change })] }, BEGIN)[0]?.to
    expect(to({})).toEqual({ page: '/alerts' })
    expect(to({ state: 'resolved', resolvedAt: at(2) })).toEqual({ alerts: 'resolved' })
  })

  test('leads to where each is', () => {
    const one = rollout({ ...ended, endedAt: null })
    const lists = { versions: [version({ createdAt: at(9) })], rollouts: [one], deeds: [entry({})] }
    expect(changesOf({ ...none, ...lists }, BEGIN).map(({ to }) => to)).toEqual([
      { rollout: one.id },
      { config: 'default', version: 2 },
      { entry: 7 },
    ])
  })
})
