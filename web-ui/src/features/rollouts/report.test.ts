// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { AuditEntry } from '../../lib/api-types.ts'
import { rollout, task } from '../../test/samples.ts'
import { type Reported, reportHtml } from './report.ts'

const HOSTILE =
  '<img src="http://x.invalid/a" onerror=\'alert(1)\'>&amp;</style><script>alert(1)</script>'
const entry = {
  id: 1,
  at: '2026-11-26T18:00:00.000Z',
  action: HOSTILE,
  actor: HOSTILE,
} as AuditEntry
const side = { nodes: 1, samples: 900, probed: 0, value: 0.01 }
const gate = {
  ...{ metric: 'firstByteP99' as const, max: 1.5, verdict: 'fail' as const, message: HOSTILE },
  ...{ canary: side, control: side, value: 2, low: 1.8, high: 2.2 },
}
const hostile = rollout({
  ...{
    state: 'reverted',
    message: HOSTILE,
    author: HOSTILE,
    selector: HOSTILE,
    emergency: HOSTILE,
  },
  ...{ reason: HOSTILE, headline: HOSTILE, config: HOSTILE, totalNodes: 3 },
  approvals: [{ by: HOSTILE, at: entry.at }],
  evidence: { wave: 0, at: entry.at, verdict: 'fail', message: HOSTILE, gates: [gate] },
})
const tasks = [task({ nodeName: HOSTILE, code: HOSTILE, message: HOSTILE })]
const made = (history: Reported['history'] = { entries: [entry], isCut: false }) =>
  reportHtml({ rollout: hostile, tasks, history, madeAt: new Date(0) })
const parse = (text: string) => new DOMParser().parseFromString(text, 'text/html')

describe('the report of a rollout', () => {
  test('runs nothing, loads nothing, and shows hostile words as they are', () => {
    const page = parse(made())
    expect(
      page.querySelectorAll('script, img, link, iframe, [src], [href], [onerror]'),
    ).toHaveLength(0)
    const policy = page.querySelector('meta[http-equiv]')?.getAttribute('content')
    expect(policy).toBe("default-src 'none'; style-src 'unsafe-inline'")
    expect(page.title).toBe(`Rollout of ${HOSTILE} v2`)
    expect(
      [...page.querySelectorAll('td')].filter((cell) => cell.textContent === HOSTILE).length,
    ).toBeGreaterThan(2)
    expect(page.querySelectorAll('style')).toHaveLength(1)
  })

  test('says how it ended, what was measured, and that nodes are missing', () => {
    const { textContent } = parse(made()).body
    expect(textContent).toContain('Reverted')
    expect(textContent).toContain('First byte p99')
    expect(textContent).toContain('2 times')
    expect(textContent).toContain('2 further nodes are not listed.')
    expect(textContent).toContain('1970-01-01 00:00:00')
  })

  test('leaves the history out for who may not read it', () => {
    expect(parse(made(null)).body.textContent).not.toContain('History')
  })

  test('says that its history is not all there is, and who a node is', () => {
    const isCut = 'Older entries are not listed'
    const byNode = { ...entry, action: 'paused', actor: tasks[0]?.nodeId ?? '' }
    const { textContent } = parse(made({ entries: [byNode], isCut: true })).body
    expect(textContent).toContain(isCut)
    expect(textContent).not.toContain(byNode.actor)
    expect(parse(made()).body.textContent).not.toContain(isCut)
  })
})
