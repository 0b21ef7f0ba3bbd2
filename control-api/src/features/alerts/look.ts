// SPDX-License-Identifier: MIT
// What a rule finds now: which of its subjects are bad, and how the others stand. Of a large farm only those that are bad
// are made objects.
import type { Kysely } from 'kysely'
import { utcWords } from '../../base/utc.ts'
import { lifeOf } from '../../certificates/expiry-watch.ts'
import { endings } from '../../certificates/store.ts'
import type { Database } from '../../db/database.ts'
import type { AbsenceOf } from '../../fleet/forgetting.ts'
import type { AskedSet } from '../../metrics-store/sets.ts'
import { isEnding, type Standing } from './rules.ts'
import type { Condition } from './schema.ts'

export type Subject = {
  kind: 'node' | 'rollout' | 'certificate' | 'set'
  id: string
  name: string
  nodeId: string | null
}
export type Bad = { subject: Subject; value: number | null; message: string }
export type Found = {
  bad: Bad[]
  /** Of one that is not bad. */
  standingOf(subjectId: string): Exclude<Standing, 'bad'>
}
/** As features/nodes/farm-index.ts has it. */
export type Member = {
  node: {
    id: string
    name: string
    group: string
    labels: Readonly<Record<string, string>>
    running: { config: string; version: number; generation: number } | null
    comesAndGoes: boolean
  }
  state: string
  connected: boolean
  lastSeenAtMs: number | null
}
export type Farm = {
  members: ReadonlyMap<string, Member>
  /** Throws a refusal when nobody knows whose that is. */
  nodesIn(appliesTo: string): { title: string; nodes: AskedSet }
  /** Of the farm and of groups what is kept of them all. */
  setIn(appliesTo: string): AskedSet
  nowMs: number
}
export type FarmDeps = {
  members: () => Promise<readonly Member[]>
  nodesIn: (
    appliesTo: string,
    nodes: readonly Member['node'][],
  ) => { title: string; nodes: AskedSet }
  setIn: (appliesTo: string, nodes: readonly Member['node'][]) => AskedSet
}
export type WaitingRollout = { id: string; config: string; version: number; state: string }
export type LookDeps = {
  db: Kysely<Database>
  absenceOf: AbsenceOf
  waitingRollouts: () => Promise<WaitingRollout[]>
}

export const farmReader =
  (deps: FarmDeps) =>
  async (nowMs: number): Promise<Farm> => {
    const members = await deps.members()
    const nodes = members.map(({ node }) => node)
    return {
      nowMs,
      members: new Map(members.map((one) => [one.node.id, one])),
      nodesIn: (appliesTo) => deps.nodesIn(appliesTo, nodes),
      setIn: (appliesTo) => deps.setIn(appliesTo, nodes),
    }
  }

/** After a start everybody is away until they speak. */
const SETTLING_MS = 30_000

type OfState = Exclude<Condition['kind'], 'measurement' | 'burn-rate'>
type StateCondition = Extract<Condition, { kind: OfState }>

export const isOfState = (condition: Condition): condition is StateCondition =>
  condition.kind !== 'measurement' && condition.kind !== 'burn-rate'

export async function lookAtState(
  deps: LookDeps,
  { condition, appliesTo }: { condition: StateCondition; appliesTo: string },
  farm: Farm,
): Promise<Found> {
  switch (condition.kind) {
    case 'node-silent':
      return ofNodes(farm, appliesTo, silence(deps, farm.nowMs))
    case 'drift':
      return ofNodes(farm, appliesTo, drift)
    case 'rollout-waiting':
      return ofRollouts(await deps.waitingRollouts())
    case 'certificate-ending':
      return await ofCertificates(deps.db, condition.days, farm.nowMs)
  }
}

type Verdict =
  | { standing: Exclude<Standing, 'bad' | 'gone'> }
  | { standing: 'bad'; message: string }

const CLEAR: Verdict = { standing: 'clear' }
const NO_DATA: Verdict = { standing: 'no-data' }

function ofNodes(
  { members, nodesIn }: Farm,
  appliesTo: string,
  judge: (member: Member) => Verdict,
): Found {
  const bad: Bad[] = []
  const ids = new Set<string>()
  for (const { id } of nodesIn(appliesTo).nodes) {
    const member = members.get(id)
    if (!member) continue
    ids.add(id)
    const verdict = judge(member)
    if (verdict.standing === 'bad') {
      bad.push({ subject: nodeSubject(member), value: null, message: verdict.message })
    }
  }
  const standingOf = (id: string) => {
    const member = ids.has(id) ? members.get(id) : undefined
    if (!member) return 'gone'
    const { standing } = judge(member)
    return standing === 'bad' ? 'no-data' : standing
  }
  return { bad, standingOf }
}

export const nodeSubject = ({ node: { id, name } }: Member): Subject => ({
  kind: 'node',
  id,
  name,
  nodeId: id,
})

const silence =
  ({ absenceOf }: LookDeps, nowMs: number) =>
  ({ node, connected, lastSeenAtMs }: Member): Verdict => {
    if (connected || lastSeenAtMs === null || node.comesAndGoes) return CLEAR
    const { listeningSinceMs } = absenceOf(node.id)
    if (nowMs - Math.max(listeningSinceMs, lastSeenAtMs) < SETTLING_MS) return NO_DATA
    return { standing: 'bad', message: `Not heard from since ${utcWords(lastSeenAtMs)}.` }
  }

const drift = ({ state, connected }: Member): Verdict => {
  if (!connected) return NO_DATA
  return state === 'drift'
    ? { standing: 'bad', message: 'Its config was changed on its machine.' }
    : CLEAR
}

const HELD: Record<string, string> = {
  awaiting_approval: 'waits for approval',
  paused: 'is paused',
}

function ofRollouts(waiting: readonly WaitingRollout[]): Found {
  const bad = waiting.map(({ id, config, version, state }): Bad => {
    const name = `${config} v${version}`
    const subject: Subject = { kind: 'rollout', id, name, nodeId: null }
    return { subject, value: null, message: `The rollout of ${name} ${HELD[state] ?? state}.` }
  })
  return { bad, standingOf: () => 'clear' }
}

const CERTIFICATES_AT_ONCE = 500

async function ofCertificates(db: Kysely<Database>, days: number, nowMs: number): Promise<Found> {
  const bad: Bad[] = []
  const names = new Set<string>()
  for (let after: readonly [number, string] = [0, '']; ; ) {
    const some = await endings(db, { after, limit: CERTIFICATES_AT_ONCE })
    for (const one of some) {
      names.add(one.name)
      const life = lifeOf(one)
      if (!isEnding(life, days, nowMs)) continue
      const subject: Subject = { kind: 'certificate', id: one.name, name: one.name, nodeId: null }
      const at = utcWords(life.toMs)
      const message = life.toMs > nowMs ? `It ends on ${at}.` : `It ended on ${at}.`
      bad.push({ subject, value: (life.toMs - nowMs) / 86_400_000, message })
    }
    const last = some.at(-1)
    if (!last || some.length < CERTIFICATES_AT_ONCE) break
    after = [last.notAfterMs, last.name]
  }
  return { bad, standingOf: (name) => (names.has(name) ? 'clear' : 'gone') }
}
