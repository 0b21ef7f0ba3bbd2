// SPDX-License-Identifier: MIT
// What needs somebody, worst first. Pure.
import type { Shape, Tone } from '../../components/status-badge.tsx'
import type { Alert, Certificate, FarmSummary, Health, SyncState } from '../../lib/api-types.ts'
import { formatCount, namesOf, plural } from '../../lib/format.ts'
import { forPeople } from '../../lib/people-words.ts'
import { checkNames } from '../../lib/system-query.ts'

export type Target =
  | { node: string }
  | { nodes: SyncState | null }
  | { rollout: string }
  | { certificate: string }
  | { config: string; version: number }
  | { entry: number }
  | { alerts: 'resolved' }
  | { page: '/certificates' | '/alerts' | '/rollouts' | '/settings' }

export type Concern = {
  key: string
  tone: Tone
  shape: Shape
  text: string
  /** What more there is to say. */
  note: string
  to: Target
}

/** undefined: who looks may not read it. */
export type Known = {
  farm: FarmSummary
  health: Health
  alerts?: { items: readonly Alert[]; nextCursor: string | null } | undefined
  certificates?: { items: readonly Certificate[]; nextCursor: string | null } | undefined
  /** Besides those that the summary names. */
  held: readonly (HeldRollouts | undefined)[]
  missed: readonly string[]
}
type HeldRollouts = { items: readonly NamedRollout[]; nextCursor: string | null }
type NamedRollout = { id: string; config: string; version: number; state: string }

const NAMED = 5
const urgency: Record<Tone, number> = { bad: 0, warn: 1, info: 2, idle: 3, good: 4 }

export function concernsOf(known: Known): Concern[] {
  return [
    ...healthConcerns(known.health),
    ...(known.alerts ? alertConcerns(known.alerts) : []),
    ...nodeConcerns(known.farm.nodes),
    ...rolloutConcerns(known.farm, known.held),
    ...(known.certificates ? certificateConcerns(known.certificates) : []),
    ...known.missed.map((text) => concern('warn', text, '', { page: '/alerts' })),
    ...known.farm.mixed.map(({ config, versions, more }) =>
      concern(
        'info',
        `${config} runs in ${formatCount(versions.length + more)} versions`,
        `${versions.map((one) => `v${one}`).join(', ')}${more > 0 ? ' and more' : ''}; no rollout of it is under way.`,
        { nodes: null },
      ),
    ),
  ].toSorted((a, b) => urgency[a.tone] - urgency[b.tone])
}

/** What nobody is told of for now. */
export const silencedIn = ({ alerts }: Pick<Known, 'alerts'>): number =>
  alerts?.items.filter(({ silencedUntil }) => silencedUntil !== null).length ?? 0

const shapes: Record<Tone, Shape> = {
  ...{ bad: 'square', warn: 'triangle', info: 'half', idle: 'ring', good: 'disc' },
}

const concern = (tone: Tone, text: string, note: string, to: Target): Concern => ({
  ...{ key: text, tone, shape: shapes[tone], text, note, to },
})

const healthConcerns = ({ checks }: Health): Concern[] =>
  checks
    .filter(({ ok }) => !ok)
    .map(({ name, message }) =>
      concern('bad', `Control plane check fails: ${checkNames[name]}`, forPeople(message), {
        page: '/settings',
      }),
    )

function alertConcerns({ items, nextCursor }: NonNullable<Known['alerts']>): Concern[] {
  const loud = items.filter(({ silencedUntil }) => silencedUntil === null)
  const shown = loud.slice(0, NAMED).map((alert): Concern => {
    const taken = alert.acknowledgedBy === null ? '' : ` ${alert.acknowledgedBy} has taken it on.`
    const tone = alert.severity === 'critical' ? 'bad' : 'warn'
    return {
      ...concern(tone, `${alert.ruleName}: ${alert.subject.name}`, `${alert.message}${taken}`, {
        page: '/alerts',
      }),
      key: alert.id,
      to: targetOf(alert.subject),
    }
  })
  const rest = loud.length - shown.length
  if (rest === 0 && nextCursor === null) return shown
  return [...shown, concern('warn', moreAlerts(rest, nextCursor), '', { page: '/alerts' })]
}

/** `nextCursor`: there are more than were read, and of those nobody knows whether they are silenced. */
function moreAlerts(rest: number, nextCursor: string | null): string {
  if (nextCursor === null) return `${plural(rest, 'more alert')} ${rest === 1 ? 'fires' : 'fire'}`
  return rest === 0 ? 'Older alerts fire, too' : `More than ${formatCount(rest)} more alerts fire`
}

function targetOf({ kind, id }: Alert['subject']): Target {
  switch (kind) {
    case 'node':
      return { node: id }
    case 'rollout':
      return { rollout: id }
    case 'certificate':
      return { certificate: id }
    default:
      return { page: '/alerts' }
  }
}

function nodeConcerns({ byState, silent }: FarmSummary['nodes']): Concern[] {
  const of = (state: SyncState, tone: Tone, words: string, note: string): Concern[] => {
    const count = byState[state]
    if (count === 0) return []
    return [concern(tone, `${plural(count, 'node')} ${words}`, note, { nodes: state })]
  }
  const names = namesOf(
    silent.map(({ name }) => name),
    byState.unknown,
  )
  return [
    ...of('out-of-sync', 'bad', 'out of sync', 'They do not run what they were told to run.'),
    ...of('unknown', 'bad', 'silent', `${names}: nobody knows how they are.`),
    ...of(
      'drift',
      'warn',
      'drifted',
      'Their config was changed on the machine. Keep it, or put it back.',
    ),
  ]
}

function rolloutConcerns({ rollouts }: FarmSummary, held: Known['held']): Concern[] {
  if (rollouts === null) return []
  const read = held.flatMap((one) => one?.items ?? [])
  const all = new Map([...rollouts.named, ...read].map((one) => [one.id, one]))
  const more = held.some((one) => one !== undefined && one.nextCursor !== null)
  const named = [...all.values()].flatMap(({ id, config, version, state }): Concern[] => {
    const what = `Rollout of ${config} v${version}`
    const to = { rollout: id }
    if (state === 'paused') {
      return [
        { ...concern('warn', `${what} is paused`, 'Resume it, or take it back.', to), key: id },
      ]
    }
    if (state !== 'awaiting_approval') return []
    return [{ ...concern('warn', `${what} waits for approval`, '', to), key: id }]
  })
  if (!more) return named
  const others = 'More rollouts are paused or wait for approval'
  return [...named, concern('warn', others, '', { page: '/rollouts' })]
}

function certificateConcerns({ items, nextCursor }: NonNullable<Known['certificates']>): Concern[] {
  const near = items.filter(({ state }) => state !== 'good')
  const shown = near.slice(0, NAMED).map(({ name, state, daysLeft, latestVersion }) => {
    const hosts = namesOf(latestVersion.names)
    const to = { certificate: name }
    if (state === 'expired') {
      return concern('bad', `Certificate ${name} has expired`, `Of ${hosts}.`, to)
    }
    const when = daysLeft < 1 ? 'today' : `in ${plural(daysLeft, 'day')}`
    return concern('warn', `Certificate ${name} ends ${when}`, `Of ${hosts}.`, to)
  })
  const rest = near.length - shown.length
  if (rest === 0) return shown
  // Those that end first are read first: all of them near the end, and there are more.
  const areMore = near.length === items.length && nextCursor !== null
  const more = `${areMore ? 'At least ' : ''}${plural(rest, 'more certificate')} near the end`
  return [...shown, concern('warn', more, '', { page: '/certificates' })]
}
