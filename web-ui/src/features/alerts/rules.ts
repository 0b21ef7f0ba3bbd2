// SPDX-License-Identifier: MIT
import type { Verdict } from '../../components/status-badge.tsx'
import type { Alert, AlertPreview, AlertRule } from '../../lib/api-types.ts'
import { formatCount, formatSeconds, plural } from '../../lib/format.ts'
import { measureWords, unitOf } from '../../lib/measures.ts'
import { formatDateTime } from '../../lib/time.ts'

export const STATES = ['firing', 'pending', 'resolved'] as const
export type AlertsSearch = { state?: Alert['state'] }

export function parseAlertsSearch({ state }: Record<string, unknown>): AlertsSearch {
  const known = STATES.find((one) => one === state)
  return known === undefined ? {} : { state: known }
}

export function alertVerdict({ state, severity }: Pick<Alert, 'state' | 'severity'>): Verdict {
  if (state === 'resolved') return { label: 'Resolved', tone: 'good', shape: 'disc' }
  if (state === 'pending') return { label: 'Pending', tone: 'info', shape: 'half' }
  return severity === 'critical'
    ? { label: 'Critical', tone: 'bad', shape: 'square' }
    : { label: 'Warning', tone: 'warn', shape: 'triangle' }
}

export function ruleVerdict({ enabled, failing }: Pick<AlertRule, 'enabled' | 'failing'>): Verdict {
  if (!enabled) return { label: 'Off', tone: 'idle', shape: 'ring' }
  return failing === null
    ? { label: 'On', tone: 'good', shape: 'disc' }
    : { label: 'Can’t be checked', tone: 'bad', shape: 'square' }
}

type Condition = AlertRule['condition']
export const isMeasured = (
  condition: Condition,
): condition is Extract<Condition, { kind: 'measurement' | 'burn-rate' }> =>
  condition.kind === 'measurement' || condition.kind === 'burn-rate'

export function conditionWords({
  condition,
  forSeconds,
}: Pick<AlertRule, 'condition' | 'forSeconds'>): string {
  const lasting = forSeconds === 0 ? '' : ` for ${spanWords(forSeconds)}`
  switch (condition.kind) {
    case 'node-silent':
      return `A node is silent${lasting}`
    case 'drift':
      return `A config was changed on its node, and nobody has decided about it${lasting}`
    case 'rollout-waiting':
      return `A rollout is waiting for approval or paused${lasting}`
    case 'certificate-ending':
      return `A certificate expires in fewer than ${condition.days} days${lasting}`
    case 'measurement': {
      const { by, comparison, threshold, windowSeconds, each } = condition
      const { format, word } = unitOf(by)
      const whose = each === 'node' ? 'A node’s' : 'All nodes’'
      // To the digit: once in ten minutes is less than any rate in a chart.
      const limit =
        word === 'a second' ? `${Number(threshold.toPrecision(6))} a second` : format(threshold)
      return `${whose} ${measureWords(by)} over ${spanWords(windowSeconds)} is ${comparison} ${limit}${lasting}`
    }
    case 'burn-rate': {
      const { objective, slowerThanSeconds } = condition
      const good =
        slowerThanSeconds === undefined
          ? 'without an error'
          : `within ${formatSeconds(slowerThanSeconds)}`
      return `The error budget of ${Number((objective * 100).toPrecision(6))} % of requests ${good} over 30 days is used too fast${lasting}`
    }
  }
}

/** Whose a rule is about, in words. */
export function whoseWords(appliesTo: string): string {
  const [, whose, whom = ''] = /^([a-z]+)(?::(.*))?$/s.exec(appliesTo) ?? []
  switch (whose) {
    case 'group':
      return `group ${whom}`
    case 'nodes':
      return `nodes with ${whom}`
    case 'version':
      return `nodes that run ${whom}`
    case 'node':
      return 'one node'
    default:
      return 'the whole farm'
  }
}

function spanWords(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

export const SPANS = [
  { value: '1', label: 'an hour' },
  { value: '8', label: '8 hours' },
  { value: '24', label: 'a day' },
  { value: '168', label: 'a week' },
  { value: 'own', label: 'until a time you choose' },
] as const

export type SilenceDraft = {
  ruleId: string
  selector: string
  reason: string
  /** Hours, or 'own'. */
  span: string
  /** As a field of the kind datetime-local has it. */
  until: string
}
export const NEW_SILENCE: SilenceDraft = {
  ...{ ruleId: '', selector: '', reason: '', span: '8', until: '' },
}

/** What a form makes, or what is wrong at which field. */
export function silenceOf(draft: SilenceDraft, nowMs: number) {
  const { ruleId, span } = draft
  const [selector, reason] = [draft.selector.trim(), draft.reason.trim()]
  const untilMs = span === 'own' ? Date.parse(draft.until) : nowMs + Number(span) * 3600_000
  const troubles: Partial<Record<keyof SilenceDraft, string>> = {
    ...(ruleId === '' && selector === '' && { ruleId: 'Choose a rule, or name nodes.' }),
    ...(reason === '' && { reason: 'Say why: others will wonder.' }),
    ...(!(untilMs > nowMs) && { until: 'Choose a time in the future.' }),
  }
  if (Object.keys(troubles).length > 0) return { ok: false, troubles } as const
  const about = { ...(ruleId !== '' && { ruleId }), ...(selector !== '' && { selector }) }
  return {
    ok: true,
    silence: { ...about, reason, until: new Date(untilMs).toISOString() },
  } as const
}

/** What a preview found, as a sentence, and what to know about it. */
export function previewWords(preview: AlertPreview): { title: string; notes: string[] } {
  const { fired, pendingOnly, lookedAt, subjects, from, to, alerts, lookEverySeconds } = preview
  const since = `from ${formatDateTime(from)} to ${formatDateTime(to)}`
  return {
    title: fired === 0 ? 'It would not have fired' : `It would have fired ${timesWords(fired)}`,
    notes: [
      `Checked ${since}, in steps of ${spanWords(lookEverySeconds)}.`,
      ...(pendingOnly === 0
        ? []
        : [`The condition also held ${timesWords(pendingOnly)}, but not for long enough.`]),
      ...(lookedAt === subjects
        ? []
        : [
            `Only ${formatCount(lookedAt)} of ${plural(subjects, 'node')} were checked, chosen evenly: a shorter time takes more of them.`,
          ]),
      ...(fired + pendingOnly > alerts.length
        ? [`${formatCount(alerts.length)} of them are listed.`]
        : []),
    ],
  }
}

const timesWords = (n: number) => (n === 1 ? 'once' : n === 2 ? 'twice' : plural(n, 'time'))
