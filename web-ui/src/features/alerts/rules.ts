// SPDX-License-Identifier: MIT

import type { Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Alert, AlertPreview, AlertRule } from '../../lib/api-types.ts'
import { formatCount, formatSeconds } from '../../lib/format.ts'
import { measureWords, PER_SECOND, unitOf } from '../../lib/measures.ts'
import { formatDateTime } from '../../lib/time.ts'

export const STATES = ['firing', 'pending', 'resolved'] as const
export type AlertsSearch = { state?: Alert['state'] }

export function parseAlertsSearch({ state }: Record<string, unknown>): AlertsSearch {
  const known = STATES.find((one) => one === state)
  return known === undefined ? {} : { state: known }
}

export function alertVerdict({ state, severity }: Pick<Alert, 'state' | 'severity'>): Verdict {
  if (state === 'resolved') return { label: t('Resolved'), tone: 'good', shape: 'disc' }
  if (state === 'pending') return { label: t('Pending'), tone: 'info', shape: 'half' }
  return severity === 'critical'
    ? { label: t('Critical'), tone: 'bad', shape: 'square' }
    : { label: t('Warning'), tone: 'warn', shape: 'triangle' }
}

export function ruleVerdict({ enabled, failing }: Pick<AlertRule, 'enabled' | 'failing'>): Verdict {
  if (!enabled) return { label: t('Off'), tone: 'idle', shape: 'ring' }
  return failing === null
    ? { label: t('On'), tone: 'good', shape: 'disc' }
    : { label: t('Can’t be checked'), tone: 'bad', shape: 'square' }
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
  const words = momentWords(condition)
  return forSeconds === 0
    ? words
    : t('{words} for {forSeconds}', { words, forSeconds: spanWords(forSeconds) })
}

/** What is looked for each time; it may have to last. */
function momentWords(condition: Condition): string {
  switch (condition.kind) {
    case 'node-silent':
      return t('A node is silent')
    case 'drift':
      return t('A config was changed on its node, and nobody has decided about it')
    case 'rollout-waiting':
      return t('A rollout is waiting for approval or paused')
    case 'certificate-ending':
      return t('A certificate expires in fewer than {days} days', { days: condition.days })
    case 'measurement': {
      const { by, comparison, threshold, windowSeconds, each } = condition
      const { format, word } = unitOf(by)
      // To the digit: once in ten minutes is less than any rate in a chart.
      const limit =
        word === PER_SECOND
          ? t('{precision} a second', { precision: Number(threshold.toPrecision(6)) })
          : format(threshold)
      const values = { measure: measureWords(by), time: spanWords(windowSeconds), limit }
      if (comparison === 'above') {
        return each === 'node'
          ? t('A node’s {measure} over {time} is above {limit}', values)
          : t('All nodes’ {measure} over {time} is above {limit}', values)
      }
      return each === 'node'
        ? t('A node’s {measure} over {time} is below {limit}', values)
        : t('All nodes’ {measure} over {time} is below {limit}', values)
    }
    case 'burn-rate': {
      const { objective, slowerThanSeconds } = condition
      const percent = Number((objective * 100).toPrecision(6))
      return slowerThanSeconds === undefined
        ? t(
            'The error budget of {percent} % of requests without an error over 30 days is used too fast',
            { percent },
          )
        : t(
            'The error budget of {percent} % of requests within {slowerThanSeconds} over 30 days is used too fast',
            { percent, slowerThanSeconds: formatSeconds(slowerThanSeconds) },
          )
    }
  }
}

/** Whose a rule is about, in words. */
export function whoseWords(appliesTo: string): string {
  const [, whose, whom = ''] = /^([a-z]+)(?::(.*))?$/s.exec(appliesTo) ?? []
  switch (whose) {
    case 'group':
      return t('group {whom}', { whom })
    case 'nodes':
      return t('nodes with {whom}', { whom })
    case 'version':
      return t('nodes that run {whom}', { whom })
    case 'node':
      return t('one node')
    default:
      return t('the whole farm')
  }
}

function spanWords(seconds: number): string {
  if (seconds % 3600 === 0) return t('{count} h', { count: seconds / 3600 })
  return seconds % 60 === 0
    ? t('{count} min', { count: seconds / 60 })
    : t('{count} s', { count: seconds })
}

export const SPANS = [
  { value: '1', label: t('an hour') },
  { value: '8', label: t('8 hours') },
  { value: '24', label: t('a day') },
  { value: '168', label: t('a week') },
  { value: 'own', label: t('until a time you choose') },
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
    ...(ruleId === '' && selector === '' && { ruleId: t('Choose a rule, or name nodes.') }),
    ...(reason === '' && { reason: t('Say why: others will wonder.') }),
    ...(!(untilMs > nowMs) && { until: t('Choose a time in the future.') }),
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
  return {
    title:
      fired === 0
        ? t('It would not have fired')
        : t('It would have fired {fired}', { fired: timesWords(fired) }),
    notes: [
      t('Checked from {from} to {to}, in steps of {lookEverySeconds}.', {
        from: formatDateTime(from),
        to: formatDateTime(to),
        lookEverySeconds: spanWords(lookEverySeconds),
      }),
      ...(pendingOnly === 0
        ? []
        : [
            t('The condition also held {pendingOnly}, but not for long enough.', {
              pendingOnly: timesWords(pendingOnly),
            }),
          ]),
      ...(lookedAt === subjects
        ? []
        : [
            t(
              'Only {lookedAt} of {subjects, plural, one {# node} other {# nodes}} were checked, chosen evenly: a shorter time takes more of them.',
              { lookedAt: formatCount(lookedAt), subjects },
            ),
          ]),
      ...(fired + pendingOnly > alerts.length
        ? [t('{alerts} of them are listed.', { alerts: formatCount(alerts.length) })]
        : []),
    ],
  }
}

const timesWords = (n: number) =>
  n === 1 ? t('once') : n === 2 ? t('twice') : t('{n, plural, one {# time} other {# times}}', { n })
