// SPDX-License-Identifier: MIT
// What needs somebody, worst first. Pure.

import type { Shape, Tone } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Alert, Certificate, FarmSummary, Health, SyncState } from '../../lib/api-types.ts'
import { formatCount, namesOf } from '../../lib/format.ts'
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
        t('{config} runs in {versions} versions', {
          config,
          versions: formatCount(versions.length + more),
        }),
        more > 0
          ? t('{versions} and more; no rollout of it is under way.', {
              versions: versions.map((one) => `v${one}`).join(', '),
            })
          : t('{versions}; no rollout of it is under way.', {
              versions: versions.map((one) => `v${one}`).join(', '),
            }),
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
      concern(
        'bad',
        t('Control plane check fails: {name}', { name: checkNames[name] }),
        forPeople(message),
        {
          page: '/settings',
        },
      ),
    )

function alertConcerns({ items, nextCursor }: NonNullable<Known['alerts']>): Concern[] {
  const loud = items.filter(({ silencedUntil }) => silencedUntil === null)
  const shown = loud.slice(0, NAMED).map((alert): Concern => {
    const by = alert.acknowledgedBy
    const note =
      by === null ? alert.message : `${alert.message} ${t('{by} has taken it on.', { by })}`
    const tone = alert.severity === 'critical' ? 'bad' : 'warn'
    return {
      ...concern(tone, `${alert.ruleName}: ${alert.subject.name}`, note, { page: '/alerts' }),
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
  if (nextCursor === null)
    return t('{rest, plural, one {# more alert fires} other {# more alerts fire}}', { rest })
  return rest === 0
    ? t('Older alerts fire, too')
    : t('More than {rest} more alerts fire', { rest: formatCount(rest) })
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
  const of = (state: SyncState, tone: Tone, text: string, note: string): Concern[] =>
    byState[state] === 0 ? [] : [concern(tone, text, note, { nodes: state })]
  const names = namesOf(
    silent.map(({ name }) => name),
    byState.unknown,
  )
  return [
    ...of(
      'out-of-sync',
      'bad',
      t('{byState, plural, one {# node} other {# nodes}} out of sync', {
        byState: byState['out-of-sync'],
      }),
      t('They do not run what they were told to run.'),
    ),
    ...of(
      'unknown',
      'bad',
      t('{unknown, plural, one {# node} other {# nodes}} silent', { unknown: byState.unknown }),
      t('{names}: nobody knows how they are.', { names }),
    ),
    ...of(
      'drift',
      'warn',
      t('{drift, plural, one {# node} other {# nodes}} drifted', { drift: byState.drift }),
      t('Their config was changed on the machine. Keep it, or put it back.'),
    ),
  ]
}

function rolloutConcerns({ rollouts }: FarmSummary, held: Known['held']): Concern[] {
  if (rollouts === null) return []
  const read = held.flatMap((one) => one?.items ?? [])
  const all = new Map([...rollouts.named, ...read].map((one) => [one.id, one]))
  const more = held.some((one) => one !== undefined && one.nextCursor !== null)
  const named = [...all.values()].flatMap(({ id, config, version, state }): Concern[] => {
    const to = { rollout: id }
    if (state === 'paused') {
      return [
        {
          ...concern(
            'warn',
            t('Rollout of {config} v{version} is paused', { config, version }),
            t('Resume it, or take it back.'),
            to,
          ),
          key: id,
        },
      ]
    }
    if (state !== 'awaiting_approval') return []
    return [
      {
        ...concern(
          'warn',
          t('Rollout of {config} v{version} waits for approval', { config, version }),
          '',
          to,
        ),
        key: id,
      },
    ]
  })
  if (!more) return named
  const others = t('More rollouts are paused or wait for approval')
  return [...named, concern('warn', others, '', { page: '/rollouts' })]
}

function certificateConcerns({ items, nextCursor }: NonNullable<Known['certificates']>): Concern[] {
  const near = items.filter(({ state }) => state !== 'good')
  const shown = near.slice(0, NAMED).map(({ name, state, daysLeft, latestVersion }) => {
    const hosts = namesOf(latestVersion.names)
    const to = { certificate: name }
    if (state === 'expired') {
      return concern(
        'bad',
        t('Certificate {name} has expired', { name }),
        t('Of {hosts}.', { hosts }),
        to,
      )
    }
    const ends =
      daysLeft < 1
        ? t('Certificate {name} ends today', { name })
        : t('Certificate {name} ends in {daysLeft, plural, one {# day} other {# days}}', {
            name,
            daysLeft,
          })
    return concern('warn', ends, t('Of {hosts}.', { hosts }), to)
  })
  const rest = near.length - shown.length
  if (rest === 0) return shown
  // Those that end first are read first: all of them near the end, and there are more.
  const areMore = near.length === items.length && nextCursor !== null
  const more = areMore
    ? t(
        'At least {rest, plural, one {# more certificate} other {# more certificates}} near the end',
        { rest },
      )
    : t('{rest, plural, one {# more certificate} other {# more certificates}} near the end', {
        rest,
      })
  return [...shown, concern('warn', more, '', { page: '/certificates' })]
}
