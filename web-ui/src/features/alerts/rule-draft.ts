// SPDX-License-Identifier: MIT
// A rule as it stands in the form, and what it says. Thresholds are typed in units that people use; the API has seconds and
// shares.
import { t } from '../../languages/t.ts'
import type { AlertRule } from '../../lib/api-types.ts'
import { unitOf } from '../../lib/measures.ts'

export type Condition = AlertRule['condition']
export type RuleSettings = Pick<
  AlertRule,
  | 'name'
  | 'description'
  | 'enabled'
  | 'severity'
  | 'appliesTo'
  | 'condition'
  | 'forSeconds'
  | 'keepFiringSeconds'
>
export type Whose = 'farm' | 'group' | 'nodes' | 'node' | 'version'
export type RuleDraft = {
  name: string
  description: string
  enabled: boolean
  severity: AlertRule['severity']
  kind: Condition['kind']
  whose: Whose
  whom: string
  days: string
  what: 'quantile' | 'rate' | 'share' | 'gauge'
  stage: string
  /** In percent. */
  quantile: string
  counter: string
  gauge: string
  each: 'node' | 'set'
  comparison: 'above' | 'below'
  threshold: string
  clearThreshold: string
  windowMinutes: string
  minRequests: string
  /** In percent. */
  objective: string
  bad: 'failed' | 'slow'
  slowerMillis: string
  forMinutes: string
  keepMinutes: string
}
export type Troubles = Partial<Record<keyof RuleDraft, string>>

export const NEW_RULE: RuleDraft = {
  ...{ name: '', description: '', enabled: true, severity: 'warning', kind: 'measurement' },
  ...{ whose: 'farm', whom: '', days: '14' },
  ...{ what: 'quantile', stage: 'total', quantile: '99' },
  ...{ counter: 'responses5xx', gauge: 'diskUsedRatio', each: 'node', comparison: 'above' },
  ...{ threshold: '', clearThreshold: '', windowMinutes: '5', minRequests: '50' },
  ...{ objective: '99.9', bad: 'failed', slowerMillis: '', forMinutes: '5', keepMinutes: '0' },
}

/** Of rollouts and certificates there is one list, and of long times there are sums of these only. */
export function whoseOf(kind: Condition['kind']): readonly Whose[] {
  if (kind === 'rollout-waiting' || kind === 'certificate-ending') return ['farm']
  if (kind === 'burn-rate') return ['farm', 'group']
  return ['farm', 'group', 'nodes', 'node', 'version']
}

const tidy = (n: number) => String(Number(n.toPrecision(12)))

export function draftOf(rule: RuleSettings): RuleDraft {
  const { name, description, enabled, severity, appliesTo, condition } = rule
  const [, whose = 'farm', whom = ''] = /^([a-z]+)(?::(.*))?$/s.exec(appliesTo) ?? []
  return {
    ...NEW_RULE,
    ...{ name, description, enabled, severity, kind: condition.kind },
    ...{ whose: whose as Whose, whom },
    forMinutes: tidy(rule.forSeconds / 60),
    keepMinutes: tidy(rule.keepFiringSeconds / 60),
    ...conditionDraft(condition),
  }
}

function conditionDraft(condition: Condition): Partial<RuleDraft> {
  switch (condition.kind) {
    case 'certificate-ending':
      return { days: String(condition.days) }
    case 'burn-rate': {
      const { objective, slowerThanSeconds } = condition
      return {
        objective: tidy(objective * 100),
        bad: slowerThanSeconds === undefined ? 'failed' : 'slow',
        slowerMillis: slowerThanSeconds === undefined ? '' : tidy(slowerThanSeconds * 1000),
      }
    }
    case 'measurement': {
      const { by, each, comparison, threshold, clearThreshold, windowSeconds } = condition
      const [what = '', name = '', q = '0.99'] = by.split(':')
      const { factor } = unitOf(by)
      return {
        ...{ what: what as RuleDraft['what'], each, comparison },
        ...(what === 'quantile' && { stage: name, quantile: tidy(Number(q) * 100) }),
        ...(what === 'gauge' ? { gauge: name } : what !== 'quantile' && { counter: name }),
        threshold: tidy(threshold / factor),
        clearThreshold: clearThreshold === undefined ? '' : tidy(clearThreshold / factor),
        windowMinutes: tidy(windowSeconds / 60),
        minRequests: String(condition.minRequests ?? 50),
      }
    }
    default:
      return {}
  }
}

export function byOf({ what, stage, quantile, counter, gauge }: RuleDraft): string {
  if (what === 'quantile') return `quantile:${stage}:${tidy(Number(quantile) / 100)}`
  return what === 'gauge' ? `gauge:${gauge}` : `${what}:${counter}`
}

type Read = { ok: true; rule: RuleSettings } | { ok: false; troubles: Troubles }

export function readDraft(draft: RuleDraft): Read {
  const troubles: Troubles = {}
  const number = (field: keyof RuleDraft, between: Between): number => {
    const trouble = numberTrouble(String(draft[field]), between)
    if (trouble !== null) troubles[field] = trouble
    return Number(draft[field])
  }
  const name = draft.name.trim()
  if (name === '') troubles.name = t('Give it a name: people know a rule by it.')
  const condition = readCondition(draft, number, troubles)
  const whom = draft.whom.trim()
  if (draft.whose !== 'farm' && whom === '') troubles.whom = WHOM[draft.whose]
  const rule: RuleSettings = {
    ...{ name, description: draft.description.trim(), enabled: draft.enabled },
    ...{ severity: draft.severity, condition },
    appliesTo: draft.whose === 'farm' ? 'farm' : `${draft.whose}:${whom}`,
    forSeconds: Math.round(60 * number('forMinutes', MINUTES)),
    keepFiringSeconds: Math.round(60 * number('keepMinutes', MINUTES)),
  }
  return Object.keys(troubles).length === 0 ? { ok: true, rule } : { ok: false, troubles }
}

const WHOM: Record<Exclude<Whose, 'farm'>, string> = {
  group: t('Choose a group.'),
  nodes: t('Name labels, as in zone=eu,!canary.'),
  node: t('Choose a node.'),
  version: t('Name a config and a version, as in default/7.'),
}
type Between = { least: number; most: number; whole?: boolean; word?: string }
const MINUTES: Between = { least: 0, most: 10_080 }

function numberTrouble(text: string, { least, most, whole = false, word = '' }: Between) {
  const value = Number(text)
  const isNumber = text.trim() !== '' && Number.isFinite(value)
  if (!isNumber) return t('Enter a number.')
  if (whole && !Number.isInteger(value)) return t('Enter a whole number.')
  if (value < least || value > most) {
    return word === ''
      ? t('Enter {least} to {most}.', { least, most })
      : t('Enter {least} to {most} {word}.', { least, most, word })
  }
  return null
}

type ReadNumber = (field: keyof RuleDraft, between: Between) => number

function readCondition(draft: RuleDraft, number: ReadNumber, troubles: Troubles): Condition {
  switch (draft.kind) {
    case 'certificate-ending':
      return { kind: draft.kind, days: number('days', { least: 1, most: 365, whole: true }) }
    case 'burn-rate':
      return readBurnRate(draft, number)
    case 'measurement':
      return readMeasurement(draft, number, troubles)
    default:
      return { kind: draft.kind }
  }
}

function readBurnRate({ bad }: RuleDraft, number: ReadNumber): Condition {
  const percent = number('objective', { least: 50, most: 99.999, word: t('percent') })
  const objective = Number((percent / 100).toPrecision(12))
  if (bad === 'failed') return { kind: 'burn-rate', objective }
  const slowerThanSeconds = number('slowerMillis', { least: 0.001, most: 3_600_000 }) / 1000
  return { kind: 'burn-rate', objective, slowerThanSeconds }
}

const ANY: Between = { least: -1e15, most: 1e15 }

function readMeasurement(draft: RuleDraft, number: ReadNumber, troubles: Troubles): Condition {
  const { what, each, comparison, clearThreshold } = draft
  const by = byOf(draft)
  if (what === 'quantile') number('quantile', { least: 0, most: 100, word: t('percent') })
  const name = what === 'gauge' ? 'gauge' : 'counter'
  if (what !== 'quantile' && !/^[a-z][A-Za-z0-9]{0,63}$/.test(draft[name])) {
    troubles[name] = t('Choose what is measured.')
  }
  const { factor } = unitOf(by)
  const scaled = (field: 'threshold' | 'clearThreshold') =>
    Number((number(field, ANY) * factor).toPrecision(12))
  const threshold = scaled('threshold')
  const mostMinutes = each === 'node' ? 60 : 1440
  const window = { least: 1, most: mostMinutes, whole: true, word: t('minutes') }
  const counts = what === 'quantile' || what === 'share'
  const condition: Condition = {
    ...{ kind: 'measurement', each, by, comparison, threshold },
    windowSeconds: 60 * number('windowMinutes', window),
    ...(counts && { minRequests: number('minRequests', { least: 0, most: 1e9, whole: true }) }),
  }
  if (clearThreshold.trim() === '') return condition
  const clear = scaled('clearThreshold')
  if (comparison === 'above' ? clear > threshold : clear < threshold) {
    troubles.clearThreshold =
      comparison === 'above'
        ? t('It fires above the threshold, so this must be at most that.')
        : t('It fires below the threshold, so this must be at least that.')
  }
  return { ...condition, clearThreshold: clear }
}

/** What the API refuses, at its field; null: it is of none. */
export function refusalAt({ code, message }: { code: string; message: string }): Troubles | null {
  if (code === 'alert_rule_exists') return { name: message }
  if (code === 'selector_invalid') return { whom: message }
  if (code !== 'alert_rule_refused') return null
  if (/appliesTo|^of=|selector|There is no node/i.test(message)) return { whom: message }
  return null
}
