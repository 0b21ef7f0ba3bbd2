// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { SyncState } from '../../../src/api-shapes/node-facts.ts'
import type { Standing } from '../../../src/assignments/store.ts'
import {
  cordonText,
  type Desired,
  type SyncFacts,
  syncOf,
} from '../../../src/features/nodes/rules.ts'
import { listenersOf, scrapeTarget, urlsOf } from '../../../src/features/nodes/urls.ts'

const NEW = 'sha256:new'
const OLD = 'sha256:old'

const facts = (changes: Partial<SyncFacts>): SyncFacts => ({
  connected: true,
  lastSeenAtMs: 5000,
  enrolledAtMs: 1000,
  epoch: 1,
  maxEpoch: 1,
  desired: null,
  effective: null,
  effectiveSinceMs: null,
  effectiveLabel: null,
  lastResult: null,
  identity: 'good',
  isCloned: false,
  drift: null,
  ...changes,
})
const desired = (state: Standing['state']): Desired => ({
  generation: 2,
  digest: NEW,
  state,
  createdAtMs: 2000,
  updatedAtMs: 3000,
  label: 'default 2',
})
const runs = (digest: string, effectiveLabel: string | null): Partial<SyncFacts> => ({
  effective: { digest },
  effectiveSinceMs: 4000,
  effectiveLabel,
})
const changed = (changes: Partial<NonNullable<SyncFacts['drift']>>) => ({
  isServed: true,
  isGood: true,
  isDecided: false,
  sinceMs: 2500,
  ...changes,
})
const because = { generation: 2, message: 'port 80 is taken', code: 'port_in_use', atMs: 3000 }

type Row = [
  name: string,
  facts: Partial<SyncFacts>,
  state: SyncState,
  reason: RegExp,
  sinceMs: number,
]
const rows: Row[] = [
  ['never spoke', { lastSeenAtMs: null, connected: false }, 'waiting', /farmstead-node run/, 1000],
  ['nothing released', {}, 'waiting', /Nothing has been released/, 1000],
  [
    'silent',
    { connected: false, desired: desired('confirmed'), ...runs(NEW, 'default 2') },
    'unknown',
    /Not heard from/,
    5000,
  ],
  [
    'obeyed a newer control plane',
    { maxEpoch: 4, desired: desired('nacked') },
    'out-of-sync',
    /epoch 4/,
    2000,
  ],
  [
    'expired',
    { connected: false, identity: 'expired', desired: desired('confirmed') },
    'unknown',
    /identity has expired.*serves what it had.*--rejoin/,
    5000,
  ],
  [
    'revoked',
    { connected: false, identity: 'revoked' },
    'unknown',
    /identity was revoked.*--rejoin/,
    5000,
  ],
  [
    'cloned',
    { isCloned: true, desired: desired('confirmed'), ...runs(NEW, 'default 2') },
    'out-of-sync',
    /Two processes hold its identity/,
    5000,
  ],
  [
    'changed by hand, served',
    { drift: changed({}), desired: desired('nacked'), ...runs(OLD, null) },
    'drift',
    /serves that\. It takes no other until you adopt or discard/,
    2500,
  ],
  [
    'changed by hand, not loaded',
    {
      drift: changed({ isServed: false }),
      desired: desired('confirmed'),
      ...runs(NEW, 'default 2'),
    },
    'drift',
    /not loaded: it serves default 2\./,
    2500,
  ],
  [
    'changed by hand, with errors',
    { drift: changed({ isServed: false, isGood: false }), desired: desired('confirmed') },
    'drift',
    /one with errors: it serves what it had/,
    2500,
  ],
  [
    'changed by hand, let go, nothing pushed since',
    { drift: changed({ isDecided: true }), desired: desired('confirmed'), ...runs(OLD, null) },
    'drift',
    /That was decided on: push a version/,
    2500,
  ],
  [
    'changed by hand, let go, on its way',
    {
      drift: changed({ isDecided: true }),
      desired: desired('offered'),
      ...runs(OLD, 'default 1'),
    },
    'applying',
    /default 2 is offered/,
    2000,
  ],
  ['runs something, nothing assigned', runs(OLD, null), 'drift', /nobody here assigned/, 4000],
  [
    'offered, runs the old',
    { desired: desired('offered'), ...runs(OLD, 'default 1') },
    'applying',
    /default 2 is offered.*runs default 1/,
    2000,
  ],
  ['offered, runs nothing', { desired: desired('offered') }, 'applying', /runs nothing/, 2000],
  [
    'acked',
    { desired: desired('acked'), ...runs(OLD, 'default 1') },
    'applying',
    /has checked default 2/,
    2000,
  ],
  [
    'applied, not confirmed',
    { desired: desired('applied'), ...runs(NEW, 'default 2') },
    'applying',
    /waits for the confirmation/,
    4000,
  ],
  [
    'confirmed',
    { desired: desired('confirmed'), ...runs(NEW, 'default 2') },
    'in-sync',
    /runs default 2, as assigned/,
    4000,
  ],
  [
    'refused',
    { desired: desired('nacked'), ...runs(OLD, 'default 1'), lastResult: because },
    'out-of-sync',
    /refused default 2.*default 1: port 80 is taken/,
    3000,
  ],
  [
    'refused, reason of another offer',
    {
      desired: desired('nacked'),
      ...runs(OLD, 'default 1'),
      lastResult: { ...because, generation: 1 },
    },
    'out-of-sync',
    /default 1\.$/,
    3000,
  ],
  [
    'went back',
    {
      desired: desired('reverted'),
      ...runs(OLD, 'default 1'),
      lastResult: { ...because, message: '' },
    },
    'out-of-sync',
    /went back to default 1: port_in_use/,
    3000,
  ],
  [
    'stuck',
    { desired: desired('stuck'), ...runs(OLD, 'default 1') },
    'out-of-sync',
    /needs a person/,
    3000,
  ],
  [
    'changed by hand',
    { desired: desired('confirmed'), ...runs(OLD, null) },
    'drift',
    /now runs a config nobody/,
    4000,
  ],
  [
    'back on an old one',
    { desired: desired('confirmed'), ...runs(OLD, 'default 1') },
    'out-of-sync',
    /now runs default 1/,
    4000,
  ],
  [
    'serves nothing after all',
    { desired: desired('confirmed') },
    'out-of-sync',
    /now runs nothing/,
    3000,
  ],
]

describe('the state of a node', () => {
  test.each(rows)('%s', (_name, given, state, reason, sinceMs) => {
    const sync = syncOf(facts(given))
    expect(sync).toEqual({ state, reason: expect.stringMatching(reason), sinceMs })
  })

  test('is in sync only when the effective digest equals the desired one', () => {
    const states: Standing['state'][] = [
      'offered',
      'acked',
      'nacked',
      'applied',
      'confirmed',
      'reverted',
      'stuck',
    ]
    for (const state of states) {
      for (const effective of [null, { digest: OLD }]) {
        expect(syncOf(facts({ desired: desired(state), effective })).state).not.toBe('in-sync')
      }
    }
  })
})

describe('the addresses of a node', () => {
  const urlsIn = (text: string, hostname: string) => urlsOf(listenersOf(text), hostname)

  test.each([
    ['{ "listen": [{ "address": "127.0.0.1", "port": 8101 }] }', ['http://127.0.0.1:8101/']],
    ['{ "listen": [{ "address": "0.0.0.0", "port": 80 }], /* both */ }', ['http://edge-1/']],
    ['{ "listen": [{ "address": "::1", "port": 8080 }] }', ['http://[::1]:8080/']],
    [
      '{ "listen": [{ "address": "::", "port": 1 }, { "address": "0.0.0.0", "port": 1 }] }',
      ['http://edge-1:1/'],
    ],
    ['{ "listen": "everywhere" }', []],
    ['{ "listen": [null, { "port": 0 }, { "address": 7, "port": 8 }] }', []],
    ['not a config', []],
  ])('%s', (text, urls) => {
    expect(urlsIn(text, 'edge-1')).toEqual(urls)
  })

  test.each([
    'evil.example/login?',
    'evil.example#',
    'user:password@evil.example',
    'evil.example:443',
    'a b',
    '\\\\evil.example',
    'javascript:alert(1)',
    'evil.example\n',
    '',
    '-',
    'a..b',
    'x'.repeat(300),
  ])('are none of a node that calls itself %j', (hostname) => {
    expect(urlsIn('{"listen":[{"port":8080}]}', hostname)).toEqual([])
    expect(
      urlsIn(JSON.stringify({ listen: [{ address: hostname || ' ', port: 80 }] }), 'x'),
    ).toEqual([])
  })

  test('are https where the address speaks TLS', () => {
    const ports = [80, 443, 8443].flatMap((port) => [{ port }, { port, tls: true }])
    expect(urlsIn(JSON.stringify({ listen: ports }), 'edge-1')).toEqual([
      'http://edge-1/',
      'https://edge-1:80/',
      'http://edge-1:443/',
      'https://edge-1/',
      'http://edge-1:8443/',
      'https://edge-1:8443/',
    ])
  })

  test('are of names and addresses of all kinds', () => {
    for (const host of ['edge-1', 'edge_1.example.org', '203.0.113.9', 'EDGE']) {
      expect(urlsIn('{"listen":[{"port":80}]}', host)).toEqual([`http://${host}/`])
    }
    expect(urlsIn('{"listen":[{"port":80}]}', '2001:db8::1')).toEqual(['http://[2001:db8::1]/'])
    expect(urlsIn('{"listen":[{"port":70000},{"port":-1},{"port":1.5}]}', 'edge-1')).toEqual([])
  })
})

describe('where a node shows its measurements', () => {
  const target = (admin: unknown, asked = { host: 'edge-1', withLoopback: false }) => {
    const listener = listenersOf(JSON.stringify({ admin })).admin
    return listener && scrapeTarget(listener, asked)
  }

  test.each([
    [{ address: '0.0.0.0', port: 9000 }, 'edge-1:9000'],
    [{ address: '::' }, 'edge-1:8081'],
    [{ address: '203.0.113.9' }, '203.0.113.9:8081'],
    [{ address: '2001:db8::1', port: 80 }, '[2001:db8::1]:80'],
    // Off, by default too; a port that only the node's system knows; no config of ours.
    [{ address: '' }, null],
    [{}, null],
    [undefined, null],
    [{ address: '0.0.0.0', port: 0 }, null],
    [{ address: 7, port: 8081 }, null],
    [{ address: 'evil.example/x', port: 8081 }, null],
    // From another machine there is nothing there.
    [{ address: '127.0.0.2', port: 8081 }, null],
    [{ address: '::1', port: 8081 }, null],
  ])('%j is %j', (admin, expected) => {
    expect(target(admin)).toBe(expected)
  })

  test('is its own loopback for who asks from there, and no host that is none', () => {
    expect(target({ address: '127.0.0.1' }, { host: 'x', withLoopback: true })).toBe(
      '127.0.0.1:8081',
    )
    expect(target({ address: '::1' }, { host: 'x', withLoopback: true })).toBe('[::1]:8081')
    expect(target({ address: '::' }, { host: '2001:db8::7', withLoopback: false })).toBe(
      '[2001:db8::7]:8081',
    )
    expect(target({ address: '::' }, { host: 'a b', withLoopback: false })).toBeNull()
  })
})

describe('a cordon', () => {
  const cordon = { by: 'ana', reason: 'new disk' }
  test.each([
    [null, null, null],
    [cordon, null, /^Cordoned by ana \(new disk\): rollouts pass it by, until/],
    [cordon, 'default 3', /rollouts pass it by, as default 3 did, until/],
    [null, 'default 3', /^default 3 passed it by .*: that comes with the next rollout/],
  ])('%o and %s passed by is told as %s', (given, missed, words) => {
    const told = cordonText({ cordon: given, missed })
    if (words === null) expect(told).toBeNull()
    else expect(told).toMatch(words)
  })
})
