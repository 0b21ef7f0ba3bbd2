// SPDX-License-Identifier: MIT
// What changed the farm, put together from several lists by time. Pure.
import { t } from '../../languages/t.ts'
import type { Alert, AuditEntry, RolloutSummary, VersionSummary } from '../../lib/api-types.ts'
import {
  alertMoments,
  alertName,
  type FarmMoment,
  rolloutMoments,
  rolloutName,
  secondsOf,
} from '../../lib/farm-moments.ts'
import { actorText, forPeople, shortId } from '../../lib/people-words.ts'
import type { Target } from './concerns.ts'

/** In the order of the choice of one. */
export const changeKinds = ['version', 'rollout', 'alert', 'person'] as const
export type ChangeKind = (typeof changeKinds)[number]
export const isChangeKind = (value: unknown): value is ChangeKind =>
  changeKinds.some((kind) => kind === value)

export type Change = {
  key: string
  kind: ChangeKind
  atSeconds: number
  text: string
  /** null: nobody did it, or it is not known who. */
  who: string | null
  /** What more there is to say. */
  note: string
  to: Target
}

export type Lists = {
  versions: readonly VersionSummary[]
  rollouts: readonly RolloutSummary[]
  alerts: readonly Alert[]
  /** Of the audit. */
  deeds: readonly AuditEntry[]
}

/** More lines nobody reads, and a chart could not be seen for their marks. */
export const MOST_CHANGES = 100

/** The newest first. */
export function changesOf(lists: Lists, fromSeconds: number): Change[] {
  return [
    ...lists.versions.map(ofVersion),
    ...lists.rollouts.flatMap((rollout) => ofRollout(rollout, lists.deeds)),
    ...lists.alerts.flatMap((alert) => alertMoments(alert).map(ofAlertMoment)),
    ...lists.deeds.flatMap((entry) => ofDeed(entry, lists)),
  ]
    .filter(({ atSeconds }) => atSeconds >= fromSeconds)
    .toSorted((a, b) => b.atSeconds - a.atSeconds)
}

function ofVersion({ config, number, author, message, createdAt }: VersionSummary): Change {
  return {
    ...{ key: `${config} ${number}`, kind: 'version', atSeconds: secondsOf(createdAt) },
    ...{
      text: t('Version {number} of {config} saved', { number, config }),
      who: author || null,
      note: message,
    },
    to: { config, version: number },
  }
}

function ofRollout(rollout: RolloutSummary, deeds: readonly AuditEntry[]): Change[] {
  const { id, author, message, state, reason, startedAt } = rollout
  const ending = deeds.find((one) => one.object === id && one.action === state)
  return rolloutMoments(rollout).map((moment, index): Change => {
    const isBeginning = index === 0 && startedAt !== null
    return {
      ...{ ...lineOf(moment), to: { rollout: id } },
      ...(isBeginning
        ? { who: author || null, note: message }
        : { who: actorOf(ending), note: state === 'succeeded' ? '' : forPeople(reason) }),
    }
  })
}

/** null: the control plane itself. */
const actorOf = (entry: AuditEntry | undefined) =>
  entry === undefined || entry.actor === null ? null : actorText(entry)

const ofAlertMoment = (moment: FarmMoment): Change => ({
  ...lineOf(moment),
  ...{ who: null, note: '' },
  to: moment.isOver ? { alerts: 'resolved' } : { page: '/alerts' },
})

const lineOf = ({ id, kind, atSeconds, text }: FarmMoment) => ({
  ...{ key: `${id} ${text}`, kind, atSeconds, text },
})

/** What the list of rollouts does not tell. */
const rolloutDeeds: Record<string, string | undefined> = {
  paused: t('was paused'),
  running: t('was resumed'),
  reverting: t('began to go back'),
  approve: t('was approved'),
}
/** Its start and the entry about it are not one moment. */
const AT_ONCE_SECONDS = 2

function ofDeed(entry: AuditEntry, { rollouts, alerts }: Lists): Change[] {
  const { id, at, kind, action, object } = entry
  // To sign in changes nothing, and versions have a list of their own.
  if (kind === 'session' || (kind === 'config' && action === 'version-created')) return []
  const line = {
    ...{ key: `entry ${id}`, atSeconds: secondsOf(at), note: '' },
    who: actorOf(entry),
  }
  if (kind === 'rollout' && shortId(object) !== object) {
    const rollout = rollouts.find((one) => one.id === object)
    const words = rolloutDeeds[action]
    if (words === undefined || (action === 'running' && isStart(line.atSeconds, rollout))) return []
    const name = rollout ? rolloutName(rollout) : t('A rollout')
    return [{ ...line, kind: 'rollout', text: `${name} ${words}`, to: { rollout: object } }]
  }
  const alert = alerts.find((one) => one.id === object)
  const name = alert ? alertName(alert) : nameIn(entry)
  const words = [kindWords(kind), name, action.replaceAll('-', ' ')]
  return [
    {
      ...{ ...line, kind: 'person', to: { entry: id } },
      text: words.filter((word) => word !== '').join(' '),
    },
  ]
}

/** Of one that is not in the list nobody knows. */
function isStart(atSeconds: number, rollout: RolloutSummary | undefined): boolean {
  if (!rollout || rollout.startedAt === null) return true
  return Math.abs(atSeconds - secondsOf(rollout.startedAt)) < AT_ONCE_SECONDS
}

/** An id is no name, and "rules" are named by what was done to them. */
function nameIn({ object, objectName, action }: AuditEntry): string {
  if (objectName !== null) return objectName
  return shortId(object) !== object || action.startsWith(`${object}-`) ? '' : object
}

/** "Certificate authority" */
function kindWords(kind: string): string {
  const words = kind.replaceAll('-', ' ').replace(/^dns/, 'DNS')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
