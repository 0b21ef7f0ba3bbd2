// SPDX-License-Identifier: MIT
// What nodes answer for files of a release, as gates judge it.
import { describe, expect, it } from 'vitest'
import { judgeGates } from '../../../../src/features/rollouts/gates/gates.ts'
import type { Looked, NodeLook } from '../../../../src/features/rollouts/gates/looks.ts'
import type { Gate } from '../../../../src/features/rollouts/shapes/schema.ts'
import type { ProbeAnswer } from '../../../../src/fleet/probe-orders.ts'

const files: Gate = { metric: 'releaseFiles', max: 0, onFail: 'revert' }
const types: Gate = { metric: 'mediaTypes', max: 0, onFail: 'pause' }
const NOBODY = { nodes: 0, samples: [] }
const judge = (gate: Gate, looked: Looked | null) =>
  judgeGates({ gates: [gate], minSamples: 500, canary: NOBODY, control: NOBODY, looked, seed: 7 })

const asked = ['index.html', 'app.js', 'new.css', 'more.css'].map((path) => ({
  ...{ url: `www.example.org/${path}`, key: `www:${path}` },
  ...{ sha256: `of ${path}`, release: 'www@41' },
}))
const right: ProbeAnswer[] = asked.map(({ sha256, url }) => ({
  ...{ status: 200, bytes: 9, sha256 },
  mediaType: url.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8',
}))
/** With the answers that it gives otherwise, by their places. */
const node = (nodeName: string, other: Record<number, Partial<ProbeAnswer>> = {}): NodeLook => ({
  ...{ nodeName, files: asked },
  answers: right.map((answer, i) => ({ ...answer, ...other[i] })),
})
const silent = (nodeName: string): NodeLook => ({ nodeName, files: asked, answers: null })
const look = (canary: NodeLook[], more: Partial<Looked> = {}): Looked => ({
  ...{ canary, control: [node('edge-9')], unableNodes: 0, nothing: null, ...more },
})

describe('files of a release', () => {
  it('pass when each node of the wave has answered with what the release says', () => {
    const { verdict, gates } = judge(files, look([node('edge-1'), node('edge-2')]))
    expect(verdict).toBe('pass')
    expect(gates[0]).toMatchObject({ value: 0, canary: { nodes: 2, samples: 8 }, odd: [] })
  })

  it.each([
    ['404', { status: 404 }, '404, and is in www@41'],
    ['other bytes', { sha256: 'of another file' }, 'other content than www@41 has'],
    ['an error', { status: 500 }, '500, and is in www@41'],
    ['no answer', { status: null, sha256: null }, 'no answer came; it is in www@41'],
    ['no site', { status: 421 }, '421, and is in www@41'],
    ['no bytes', { bytes: 0, sha256: 'of nothing' }, 'other content than www@41 has'],
  ])('fail for %s, with what is wrong and where', (_, answer, message) => {
    const judged = judge(files, look([node('edge-1'), node('edge-2', { 2: answer })]))
    expect(judged).toMatchObject({ verdict: 'fail', onFail: 'revert' })
    expect(judged.gates[0]?.odd).toEqual([
      { node: 'edge-2', url: 'www.example.org/new.css', message },
    ])
    expect(judged.message).toBe(
      `1 of 8 are wrong answers for files of the release, at most 0 of them, the first: www.example.org/new.css at edge-2: ${message}`,
    )
  })

  it('fail at once, whoever has not answered yet', () => {
    expect(
      judge(files, look([node('edge-1', { 0: { status: 404 } }), silent('edge-2')])),
    ).toMatchObject({ verdict: 'fail' })
  })

  it('wait for each node of the wave', () => {
    const { verdict, message } = judge(files, look([node('edge-1'), silent('edge-2')]))
    expect(verdict).toBe('no_data')
    expect(message).toContain('1 of 2 nodes have not answered yet')
  })

  it('may be wrong as often as the gate says, of all that are asked for', () => {
    const some = { ...files, max: 0.25 }
    const once = node('edge-1', { 0: { status: 404 } })
    const twice = node('edge-1', { 0: { status: 404 }, 1: { status: 404 } })
    expect(judge(some, look([once])).verdict).toBe('pass')
    expect(judge(some, look([twice])).verdict).toBe('fail')
    // Two of eight are not too many, when the other one is well.
    expect(judge(some, look([twice, silent('edge-2')])).verdict).toBe('no_data')
  })

  it('say nothing of what is not for everybody, or elsewhere', () => {
    const closed = Object.fromEntries(asked.map((_, i) => [i, { status: i % 2 ? 401 : 301 }]))
    const { verdict, message } = judge(files, look([node('edge-1', closed)]))
    expect(verdict).toBe('no_data')
    expect(message).toContain('none of the answers says anything')
    expect(judge(files, look([node('edge-1', { 3: { status: 403 } })])).gates[0]).toMatchObject({
      ...{ verdict: 'pass', canary: { samples: 3 } },
    })
  })

  it('never pass without anybody who answers', () => {
    expect(judge(files, null).verdict).toBe('no_data')
    expect(judge(files, look([], { unableNodes: 2 })).verdict).toBe('no_data')
    const { message } = judge(files, look([node('edge-1')], { unableNodes: 2 }))
    expect(message).toContain('2 cannot say what they answer')
  })

  it('pass when no release is new', () => {
    expect(judge(files, look([], { nothing: 'nothing is new' })).verdict).toBe('pass')
  })

  it('are judged whatever the other nodes answer', () => {
    const control = {
      nodes: 1,
      samples: [{ counters: { requests: 90, responses5xx: 90 }, stages: {} }],
    }
    const looked = look([node('edge-1', { 0: { status: 404 } })])
    const all = { gates: [files], minSamples: 1, canary: NOBODY, control, looked, seed: 7 }
    expect(judgeGates(all).verdict).toBe('fail')
  })
})

describe('media types', () => {
  it('pass when they are those without the version', () => {
    expect(judge(types, look([node('edge-1')])).gates[0]).toMatchObject({
      ...{ verdict: 'pass', canary: { samples: 4 }, control: { nodes: 1, samples: 4 } },
    })
  })

  it('fail for one that is another', () => {
    const judged = judge(types, look([node('edge-1', { 1: { mediaType: 'text/plain' } })]))
    expect(judged).toMatchObject({ verdict: 'fail', onFail: 'pause' })
    expect(judged.gates[0]?.odd).toEqual([
      {
        ...{ node: 'edge-1', url: 'www.example.org/app.js' },
        message: 'text/plain, and text/javascript without the version',
      },
    ])
  })

  it('compare only what both sides have', () => {
    const old = node('edge-9', { 2: { status: 404, mediaType: 'text/html' } })
    const { gates } = judge(types, look([node('edge-1')], { control: [old] }))
    expect(gates[0]).toMatchObject({ verdict: 'pass', canary: { samples: 3 } })
  })

  it('never pass without anybody to compare with', () => {
    for (const control of [[], [silent('edge-9')]]) {
      expect(judge(types, look([node('edge-1')], { control })).verdict).toBe('no_data')
    }
  })
})
