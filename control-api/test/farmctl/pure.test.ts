// SPDX-License-Identifier: MIT
// What decides and prints, without a process.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { diffLists } from '../../src/base/line-diff.ts'
import type { NodeTask, Rollout, RolloutPlan } from '../../src/farmctl/api-types.ts'
import { messagesOf } from '../../src/farmctl/events.ts'
import { EXIT, exitCodeOf } from '../../src/farmctl/exit-codes.ts'
import { ApiError } from '../../src/farmctl/failures.ts'
import { unifiedDiff } from '../../src/farmctl/line-diff.ts'
import { changedRules, readWindow, rulesLines } from '../../src/farmctl/rollouts/farm-rules.ts'
import { rollbackTarget } from '../../src/farmctl/rollouts/rollback.ts'
import {
  readGate,
  readProbe,
  readStrategy,
  readWaves,
  strategyOf,
} from '../../src/farmctl/rollouts/strategy.ts'
import { taskLines } from '../../src/farmctl/rollouts/tasks.ts'
import { planLines } from '../../src/farmctl/rollouts/view.ts'
import { age, cutTo, logLine, outline, tableLines } from '../../src/farmctl/table.ts'
import { tempDir } from '../helper.ts'

describe('how a rollout ended', () => {
  test.each([
    ['running', [], null],
    ['queued', [], null],
    ['succeeded', ['done'], EXIT.ok],
    ['rejected', [], EXIT.rejected],
    ['paused', ['done', 'nacked'], EXIT.rejected],
    ['frozen', ['nacked', 'apply_reverted'], EXIT.rejected],
    ['paused', ['done', 'apply_reverted'], EXIT.rolledBack],
    ['reverted', ['reverted'], EXIT.rolledBack],
    ['revert_incomplete', ['revert_failed'], EXIT.rolledBack],
    ['paused', ['unreachable'], EXIT.inconclusive],
    ['frozen', ['done', 'skipped'], EXIT.inconclusive],
    ['awaiting_approval', [], EXIT.inconclusive],
    ['superseded', [], EXIT.inconclusive],
  ])('%s with nodes %j is exit code %s', (state, tasks, code) => {
    const states = Object.fromEntries(tasks.map((one) => [one, 1]))
    expect(exitCodeOf({ state, states })).toBe(code)
  })
})

describe('a rollout of ten thousand nodes', () => {
  const states = { pending: 7500, done: 2460, nacked: 40 }
  const large = { id: 'rollout_1', config: 'default', version: 2, totalNodes: 10_000, states }
  const rollout = { ...large, waves: [{}, {}] } as unknown as Rollout
  const refused = { wave: 1, nodeName: 'edge-500', state: 'nacked', code: 'semantic' }
  const task = { ...refused, message: 'no folder', errors: [] } as unknown as NodeTask

  test('is told in numbers, then by those that may need a look, and where the others are', () => {
    expect(taskLines(rollout, { items: [task], total: 40 })).toEqual([
      'Of 10000 nodes: 7500 pending, 2460 done, 40 nacked',
      'WAVE  NODE      STATE   CODE      MESSAGE',
      '2     edge-500  nacked  semantic  no folder',
      'and 39 more like them: farmctl rollout nodes rollout_1 --exceptions',
    ])
  })

  test('is told in numbers alone where nobody needs a look', () => {
    expect(taskLines(rollout, { items: [], total: 0 })).toHaveLength(1)
  })
})

describe('what a plan says of refusals', () => {
  const plan = (policyRefusals: RolloutPlan['policyRefusals']): RolloutPlan =>
    ({
      config: 'default',
      version: 2,
      nodes: { total: 0, items: [] },
      ...{ waves: 1, changingNodes: 0, cordonedNodes: 0, awayNodes: 0 },
      policy: { soakSeconds: 0, gates: [], probes: [], blastBudget: null, onFailure: 'pause' },
      approvalsNeeded: 0,
      closedWindow: null,
      blockedBy: [],
      releases: [],
      excluded: { total: 0, items: [] },
      policyRefusals,
    }) as unknown as RolloutPlan
  const error = {
    pointer: '/sites/0/root',
    ...{ line: 4, column: 39, endLine: 4, endColumn: 50 },
    ...{ code: 'policy', message: '"/x\u001b[2J" is not allowed', hint: '' },
  }
  const items = Array.from({ length: 10 }, (_, i) => ({ nodeId: `node_${i}`, nodeName: `n${i}` }))

  test('of many nodes the first ten by name, and nothing a terminal would obey', () => {
    const findings = { total: 101, items: [{ error, nodes: { total: 2_500, items } }] }
    const said = planLines(plan({ nodes: 2_500, findings, unchecked: 0, unavailable: null }))
    expect(said).toContain(
      '2500 nodes will refuse it: their machines’ owners do not allow it; the rollout pauses when the first of them does:',
    )
    expect(said).toContain(
      '  default@2:4:39: "/x\\u001b[2J" is not allowed (n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 2490 more)',
    )
    expect(said).toContain('  and 100 more findings')
  })

  test.each([
    [null, 'too many different texts and policies to ask about at once; plan again for more'],
    ['it is gone', 'it is gone'],
  ])('of how many it is not known, and why: %s', (unavailable, why) => {
    const findings = { total: 0, items: [] }
    const said = planLines(plan({ nodes: 0, findings, unchecked: 3, unavailable }))
    expect(said).toContain(`Not known of 3 nodes whether they will refuse: ${why}.`)
    expect(said.join()).not.toContain('will refuse it')
  })
})

test.each([
  [
    '"X" has no version 99. GET /api/v1/configs/X/versions lists them.',
    '"X" has no version 99. farmctl history X lists them.',
  ],
  [
    'There is no node. GET /api/v1/nodes lists them; it went.',
    'There is no node. farmctl get nodes lists them; it went.',
  ],
  ['GET /api/v1/enrolment-tokens lists them.', 'farmctl get enrolment-tokens lists them.'],
  ['GET /api/v1/audit lists them, newest first.', 'farmctl audit search lists them, newest first.'],
  ['GET /api/v1/openapi.json says how.', 'GET /api/v1/openapi.json says how.'],
])('a refusal that says %j is told as %j', (detail, told) => {
  expect(new ApiError(404, { detail }, null).message).toBe(told)
})

describe('how a rollout goes', () => {
  test('waves are nodes, shares of nodes, shares of load, or one of each kind', () => {
    expect(readWaves('each,2,25%,100%load,each:3')).toEqual([
      { eachKind: 1 },
      { nodes: 2 },
      { percent: 25 },
      { throughputPercent: 100 },
      { eachKind: 3 },
    ])
  })

  test.each([
    ['errors5xx<=0.01:pause', { metric: 'errors5xx', max: 0.01, onFail: 'pause' }],
    ['errors404<=2%', { metric: 'errors404', max: 0.02, onFail: 'revert' }],
    [
      'errors404@www.example.org/docs/<=2%:pause',
      { metric: 'errors404', host: 'www.example.org', path: '/docs/', max: 0.02, onFail: 'pause' },
    ],
    ['bytesPerPage@/<=3', { metric: 'bytesPerPage', path: '/', max: 3, onFail: 'revert' }],
    ['releaseFiles<=0', { metric: 'releaseFiles', max: 0, onFail: 'revert' }],
    ['mediaTypes<=0', { metric: 'mediaTypes', max: 0, onFail: 'pause' }],
    ['firstByteP99<=1.5', { metric: 'firstByteP99', max: 1.5, onFail: 'pause' }],
  ])('the gate %s', (text, gate) => expect(readGate(text)).toEqual(gate))

  test.each([
    ['a wave of nothing', () => readWaves('1,,100%'), /"" is no wave/],
    ['a wave in another unit', () => readWaves('5MB'), /"5MB" is no wave/],
    ['a gate of nothing known', () => readGate('cpu<=1'), /errors5xx, errors4xx, errors404/],
    ['a gate without a limit', () => readGate('errors5xx'), /"errors5xx" is no gate/],
    ['a gate of a host without a path', () => readGate('errors404@a.example<=1%'), /is no gate/],
    [
      'a probe with a scheme',
      () => readProbe('http://a.example/'),
      /"http:\/\/a\.example\/" is no/,
    ],
    ['a probe without a path', () => readProbe('www.example.org'), /index\.html, or \/ of/],
    ['a soak without a unit known', () => strategyOf({ soak: '2 days' }), /--soak: "2 days"/],
    ['no nodes at a time', () => strategyOf({ maxParallel: '0' }), /--max-parallel/],
    ['a file that is no object', () => readStrategy('s.json', '[1]'), /^s\.json:1:1: /],
  ])('%s is refused', (_what, read, message) => expect(read).toThrow(message))

  test('probes are a path, of a site or of the node itself', () => {
    expect(readProbe('www.example.org/a?b=%20')).toEqual({
      host: 'www.example.org',
      path: '/a?b=%20',
    })
    expect(strategyOf({ probe: ['/', '/img/logo.png'] })).toEqual({
      probes: [{ path: '/' }, { path: '/img/logo.png' }],
    })
  })

  test('nothing said is all at once; flags go over the file', () => {
    expect(strategyOf({})).toBeUndefined()
    expect(strategyOf({ filesFirst: true })).toBeUndefined()
    expect(strategyOf({ filesFirst: false })).toEqual({ filesFirst: false })
    expect(strategyOf({ careful: true })).toEqual({})
    const file = readStrategy('s.json', '{ "soakSeconds": 60, "maxFlaps": 1 } // quick')
    expect(strategyOf({ soak: '2m', gate: ['none'] }, file)).toEqual({
      soakSeconds: 120,
      maxFlaps: 1,
      gates: [],
    })
  })
})

describe('what was served before', () => {
  type Past = Parameters<typeof rollbackTarget>[1][number]
  const past = (state: Past['state'], version: number, selector = ''): Past => ({
    ...{ id: `rollout_${version}`, state, version, selector, namesNodes: false },
  })
  const ofNamed = (version: number): Past => ({ ...past('succeeded', version), namesNodes: true })

  test.each([
    ['the last but one', [past('succeeded', 3), past('succeeded', 2)], 2],
    ['not the same again', [past('succeeded', 3), past('succeeded', 3), past('succeeded', 1)], 1],
    ['not what failed', [past('succeeded', 4), past('reverted', 3), past('succeeded', 2)], 2],
    ['not what some nodes had', [past('succeeded', 4), past('succeeded', 3, 'zone=eu')], null],
    [
      'not what was ordered for named nodes',
      [ofNamed(2), past('succeeded', 4), past('succeeded', 3), past('succeeded', 1)],
      3,
    ],
    [
      'further back a second time',
      [past('succeeded', 2), past('succeeded', 3), past('succeeded', 2), past('succeeded', 1)],
      1,
    ],
    ['nothing when there was nothing', [past('succeeded', 1)], null],
    ['nothing when nothing was rolled out', [], null],
  ])('is %s', (_, rollouts, version) => {
    const found = rollbackTarget('default', rollouts)
    expect(found.ok ? found.version : null).toBe(version)
  })

  test('is no question while a rollout is under way: that one is taken back', () => {
    const found = rollbackTarget('default', [past('paused', 3), past('succeeded', 2)])
    expect(found).toMatchObject({ ok: false, exitCode: EXIT.conflict })
    expect(found.ok ? '' : found.reason).toContain('farmctl rollout revert rollout_3')
  })
})

describe('the farm’s rules', () => {
  const none = {
    approvals: 0,
    approvalHours: 24,
    windows: [],
    timeZone: 'UTC',
    blastBudget: null,
  }

  test.each([
    ['mon-wed 09:00-16:00', ['mon', 'tue', 'wed']],
    ['sun,sat 09:00-16:00', ['sat', 'sun']],
    ['sat-mon,wed 09:00-16:00', ['mon', 'wed', 'sat', 'sun']],
  ])('have the window %s', (text, days) =>
    expect(readWindow(text)).toEqual({ days, from: '09:00', to: '16:00' }),
  )

  test.each(['monday 09:00-16:00', 'mon 9-16', '09:00-16:00', 'mon- 09:00-16:00'])(
    'have no window %s',
    (text) => expect(() => readWindow(text)).toThrow(/is no window/),
  )

  test('keep what is not said, and forget on request', () => {
    const some = changedRules(none, { approvals: '1', window: ['mon 09:00-16:00'] })
    expect(changedRules(some, { blastBudget: '5' })).toEqual({ ...some, blastBudget: 5 })
    expect(changedRules(some, { approvals: '0', window: ['none'], blastBudget: 'none' })).toEqual(
      none,
    )
    expect(rulesLines(some)).toEqual([
      'Approvals: 1, within 24 h',
      'Change windows: mon 09:00-16:00 (UTC)',
      'Blast budget of the farm: no limit',
    ])
  })
})

describe('a diff of lines', () => {
  const numbered = (count: number, edit: (line: string, at: number) => string = (line) => line) =>
    Array.from({ length: count }, (_, at) => edit(`line ${at}`, at)).join('\n')

  test('of very many lines is made as any other', () => {
    const lines = Array.from({ length: 200_000 }, (_, i) => `line ${i}\n`)
    expect(unifiedDiff('', lines.join(''))).toHaveLength(200_001)
  })

  test('finds the changes by the same rules as the API does', () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `"option-${i % 70}": ${i % 13}`)
    const changed = lines.map((line, i) => (i % 9 === 0 ? `${line}0` : line))
    const text = (some: readonly string[]) => some.map((line) => `${line}\n`).join('')
    const hunks = diffLists(lines, changed)
    const removed = hunks.reduce((sum, { fromStart, fromEnd }) => sum + fromEnd - fromStart, 0)
    const shown = unifiedDiff(text(lines), text(changed)).filter((line) => line.startsWith('-'))
    expect(shown).toHaveLength(removed)
  })

  test('of the same text is empty', () => {
    expect(unifiedDiff('a\nb\n', 'a\nb\n')).toEqual([])
  })

  // The judge is patch(1)'s other half: what Git makes of the same two files.
  test.each([
    ['nothing before', '', 'a\nb\n'],
    ['nothing after', 'a\nb\n', ''],
    ['one line changed', numbered(20), numbered(20, (line, at) => (at === 10 ? 'other' : line))],
    ['far apart', numbered(40), numbered(40, (line, at) => (at % 30 === 2 ? `${line}!` : line))],
    [
      'near each other',
      numbered(20),
      numbered(20, (line, at) => (at % 6 === 2 ? `${line}!` : line)),
    ],
    ['a line more at the end', numbered(5), `${numbered(5)}\nmore\n`],
    ['only the last newline', 'a\nb', 'a\nb\n'],
  ])('is what Git says: %s', (_name, from, to) => {
    const dir = tempDir()
    writeFileSync(join(dir, 'from'), from)
    writeFileSync(join(dir, 'to'), to)
    const lines = unifiedDiff(from, to)
    const patch = ['--- a/from', '+++ b/from', ...lines, ''].join('\n')
    execFileSync('git', ['apply', '-p1', '--unidiff-zero', '-'], { cwd: dir, input: patch })
    expect(execFileSync('cat', ['from'], { cwd: dir }).toString()).toBe(to)
  })
})

test('a table is as wide as its cells, and others’ control characters stay out of it', () => {
  expect(
    tableLines(
      ['NAME', 'WHY'],
      [
        ['node-1', 'fine\u001b[31m'],
        ['n', ''],
      ],
    ),
  ).toEqual(['NAME    WHY', 'node-1  fine\\u001b[31m', 'n       -'])
})

test('a table’s columns begin below each other, however wide letters are', () => {
  const rows = [
    ['東京', 'wide'],
    ['e\u0301', 'two, drawn as one'],
    ['👩‍👩‍👧', 'five, drawn as two columns'],
  ]
  expect(tableLines(['NAME', 'WHY'], rows)).toEqual([
    'NAME  WHY',
    '東京  wide',
    'e\u0301     two, drawn as one',
    '👩‍👩‍👧    five, drawn as two columns',
  ])
})

test.each([
  ['██ █', 2, '██'],
  ['a東京', 2, 'a'],
  ['e\u0301e\u0301x', 2, 'e\u0301e\u0301'],
  ['x👩‍👩‍👧y', 3, 'x👩‍👩‍👧'],
  ['short', 80, 'short'],
])('of %j in %i columns is %j', (line, columns, cut) => {
  expect(cutTo(columns, line)).toBe(cut)
})

test('a line of a node’s log stays one line, and no terminal takes it for a command', () => {
  const text = 'a \u001b[2J\u009b2J\nfake'
  expect(logLine({ at: '09:14', level: 'warn', text })).toBe(
    '09:14 warn a \\u001b[2J\\u009b2J�fake',
  )
})

test('an outline shows every member of a thing, one a line', () => {
  const node = {
    updatedAt: 'x',
    labels: { zone: 'eu' },
    tasks: [{ a: 1 }, { a: 2 }],
    none: [],
    text: 'a\nb\n',
  }
  expect(outline(node)).toEqual([
    'updated at: x',
    'labels:',
    '  zone: eu',
    'tasks:',
    '  -',
    '    a: 1',
    '  -',
    '    a: 2',
    'none:       none',
    'text:',
    '  a',
    '  b',
  ])
})

test.each([
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [7200, '2h'],
  [3 * 86_400, '3d'],
])('%s seconds ago is %s', (seconds, text) => {
  expect(age(new Date(0).toISOString(), seconds * 1000)).toBe(text)
})

test('events are read whole, however their bytes are cut', async () => {
  const bytes = new TextEncoder().encode(
    ': hello\n\nid: 7\ndata: {"name":"ä"}\n\nevent: resync\r\ndata: {}\r\n\r\n',
  )
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  const messages = []
  for await (const message of messagesOf(new Response(body))) messages.push(message)
  expect(messages.filter(({ data }) => data)).toEqual([
    { event: 'message', id: '7', data: '{"name":"ä"}' },
    { event: 'resync', id: '', data: '{}' },
  ])
})

test('an id without data says from where to go on', async () => {
  const messages = []
  for await (const message of messagesOf(new Response('id: 7\nretry: 2000\n\n'))) {
    messages.push(message)
  }
  expect(messages).toEqual([{ event: 'message', id: '7', data: '' }])
})

test.each([
  ['its line', 'data: ', 'x'.repeat(64 * 1024)],
  ['its lines', '', `data: ${'x'.repeat(64 * 1024)}\n`],
])('an event without end is not waited for: %s', async (_, first, more) => {
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Buffer.from(sent++ === 0 ? first + more : more)),
  })
  const read = async () => {
    for await (const _message of messagesOf(new Response(body)));
  }
  await expect(read()).rejects.toThrow(/sends an event without end/)
  expect(sent).toBeLessThan(20)
})
