// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import {
  type Condition,
  draftOf,
  NEW_RULE,
  type RuleDraft,
  type RuleSettings,
  readDraft,
  refusalAt,
} from './rule-draft.ts'

const rule = (condition: Condition, change: Partial<RuleSettings> = {}): RuleSettings => ({
  ...{ name: 'Slow', description: 'Call the shop', enabled: true, severity: 'critical' },
  ...{ appliesTo: 'farm', condition, forSeconds: 90, keepFiringSeconds: 0 },
  ...change,
})
const measured = {
  kind: 'measurement',
  each: 'node',
  comparison: 'above',
  windowSeconds: 300,
} as const

describe('a rule in the form', () => {
  test.each<[string, RuleSettings]>([
    ['a silent node', rule({ kind: 'node-silent' }, { appliesTo: 'nodes:zone in (eu,us)' })],
    ['a certificate', rule({ kind: 'certificate-ending', days: 14 })],
    [
      'a quantile in milliseconds',
      rule({
        ...measured,
        ...{ by: 'quantile:total:0.999', threshold: 0.05, clearThreshold: 0.03, minRequests: 7 },
      }),
    ],
    [
      'a share in percent',
      rule({ ...measured, by: 'share:responses5xx', threshold: 0.07, minRequests: 50 }),
    ],
    ['a gauge of bytes', rule({ ...measured, by: 'gauge:residentBytes', threshold: 1.5e9 })],
    ['a rate of bytes', rule({ ...measured, by: 'rate:bytesSent', threshold: 1.25e8 })],
    ['a rate', rule({ ...measured, by: 'rate:requests', threshold: 0.1, comparison: 'below' })],
    [
      'a burn rate of slow requests',
      rule(
        { kind: 'burn-rate', objective: 0.9995, slowerThanSeconds: 0.05 },
        { appliesTo: 'group:web' },
      ),
    ],
    ['a burn rate of errors', rule({ kind: 'burn-rate', objective: 0.99 })],
  ])('of %s is saved as it was read', (_what, saved) => {
    expect(readDraft(draftOf(saved))).toEqual({ ok: true, rule: saved })
  })

  const drafted = (change: Partial<RuleDraft>): RuleDraft => ({
    ...{ ...NEW_RULE, name: 'x', threshold: '100' },
    ...change,
  })
  test.each<[string, Partial<RuleDraft>, keyof RuleDraft, RegExp]>([
    ['no name', { name: ' ' }, 'name', /Give it a name/],
    ['no threshold', { threshold: '' }, 'threshold', /Enter a number/],
    ['a comma for a point', { threshold: '0,5' }, 'threshold', /Enter a number/],
    ['a window of two hours of each node', { windowMinutes: '120' }, 'windowMinutes', /1 to 60/],
    ['half a minute', { windowMinutes: '0.5' }, 'windowMinutes', /whole number/],
    ['a quantile of 101', { quantile: '101' }, 'quantile', /0 to 100 percent/],
    ['no labels', { whose: 'nodes' }, 'whom', /Name labels/],
    ['hysteresis on the wrong side', { clearThreshold: '200' }, 'clearThreshold', /at most/],
    ['an objective of 100', { kind: 'burn-rate', objective: '100' }, 'objective', /50 to 99.999/],
    [
      'a budget of 0 ms',
      { kind: 'burn-rate', bad: 'slow', slowerMillis: '0' },
      'slowerMillis',
      /./,
    ],
    ['a year and a day', { kind: 'certificate-ending', days: '366' }, 'days', /1 to 365/],
    ['longer than a week', { forMinutes: '10081' }, 'forMinutes', /0 to 10080/],
  ])('with %s says so at its field', (_what, change, field, words) => {
    const read = readDraft(drafted(change))
    expect(read.ok).toBe(false)
    expect(!read.ok && read.troubles[field]).toMatch(words)
  })

  test('is told at its field what the control plane refuses', () => {
    expect(refusalAt({ code: 'alert_rule_exists', message: '"x" is taken.' })).toEqual({
      name: '"x" is taken.',
    })
    const whom = 'of="version:x": a version is CONFIG/NUMBER.'
    expect(refusalAt({ code: 'alert_rule_refused', message: whom })).toEqual({ whom })
    expect(refusalAt({ code: 'unreachable', message: 'No answer' })).toBeNull()
  })
})
