// SPDX-License-Identifier: MIT
// How a rollout is to go, as it is typed and as the API takes it. What is left empty the control plane
// decides; what it refuses, it says itself.
import { t } from '../../languages/t.ts'
import type { GateMetric, OnFailure, Strategy, WaveSize } from '../../lib/api-types.ts'
import { isShare, mayHavePath } from './rules.ts'

export type Preset = 'at-once' | 'careful' | 'custom'

export type WaveKind = 'nodes' | 'percent' | 'throughputPercent' | 'eachKind'
/** The id is of the row on the screen, which may move. */
export type WaveDraft = { id: number; kind: WaveKind; size: string }
/** below: host and path, or a path, of a metric that may have one; '': of all requests. */
export type GateDraft = {
  id: number
  metric: GateMetric
  below: string
  max: string
  onFail: OnFailure
}
export type ProbeDraft = { id: number; host: string; path: string }
export type KnobKey = Exclude<
  {
    [Key in keyof Strategy]-?: NonNullable<Strategy[Key]> extends number ? Key : never
  }[keyof Strategy],
  undefined
>
export type StrategyDraft = {
  waves: WaveDraft[]
  /** null: the control plane's own. */
  gates: GateDraft[] | null
  probes: ProbeDraft[]
  excludeKinds: string[]
  knobs: Partial<Record<KnobKey, string>>
  failureDomain: string
  /** Files of a release go to all nodes before the first wave. */
  filesFirst: boolean
  /** '': the default. */
  onFailure: OnFailure | ''
}
export type Choice = { preset: Preset; draft: StrategyDraft }

/** One node, a quarter, all: for who begins to choose. */
export const FIRST_WAVES: readonly WaveSize[] = [
  { nodes: 1 },
  { throughputPercent: 25 },
  { throughputPercent: 100 },
]
export const firstChoice = (): Choice => ({
  preset: 'careful',
  draft: draftOf({ waves: [...FIRST_WAVES] }),
})

/** A strategy that was ordered, as the form has it; null: from before orders were kept. */
export function choiceOf(strategy: Strategy | null): Choice {
  if (strategy?.atOnce) return { preset: 'at-once', draft: firstChoice().draft }
  const isCareful = strategy === null || Object.keys(strategy).length === 0
  return isCareful ? firstChoice() : { preset: 'custom', draft: draftOf(strategy) }
}

let newestId = 0
export const newId = () => ++newestId

/** Shares are shown in percent, without what binary fractions add. */
const inUnit = (metric: GateMetric, max: number) =>
  isShare(metric) ? Number((max * 100).toPrecision(9)) : max

type Gate = NonNullable<Strategy['gates']>[number]
export const gateDraft = ({ metric, host = '', path = '', max, onFail }: Gate): GateDraft => ({
  id: newId(),
  metric,
  below: `${host}${path}`,
  max: String(inUnit(metric, max)),
  onFail,
})

export function draftOf({
  waves,
  gates,
  probes = [],
  excludeKinds = [],
  failureDomain,
  filesFirst = true,
  onFailure,
  ...knobs
}: Strategy): StrategyDraft {
  const texts = Object.entries(knobs).flatMap(([key, value]) =>
    typeof value === 'number' ? [[key, String(value)] as const] : [],
  )
  return {
    waves: (waves ?? FIRST_WAVES).map(waveDraft),
    gates: gates?.map(gateDraft) ?? null,
    probes: probes.map(({ host = '', path }) => ({ id: newId(), host, path })),
    excludeKinds,
    knobs: Object.fromEntries(texts),
    failureDomain: failureDomain ?? '',
    filesFirst,
    onFailure: onFailure ?? '',
  }
}

function waveDraft(size: WaveSize): WaveDraft {
  const id = newId()
  if ('nodes' in size) return { id, kind: 'nodes', size: String(size.nodes) }
  if ('percent' in size) return { id, kind: 'percent', size: String(size.percent) }
  if ('eachKind' in size) return { id, kind: 'eachKind', size: String(size.eachKind) }
  return { id, kind: 'throughputPercent', size: String(size.throughputPercent) }
}

/** By JSON pointer below the strategy, as the API tells them. */
export type FieldErrors = Readonly<Record<string, string>>
export type Reading = { ok: true; strategy: Strategy } | { ok: false; errors: FieldErrors }

export function readChoice({ preset, draft }: Choice): Reading {
  if (preset === 'at-once') return { ok: true, strategy: { atOnce: true } }
  return preset === 'careful' ? { ok: true, strategy: {} } : readDraft(draft)
}

const WHOLE = /^\d{1,9}$/
const DECIMAL = /^\d{1,9}(\.\d{1,9})?$/
const NO_WHOLE_NUMBER = t('Enter a whole number.')
const NO_NUMBER = t('Enter a number, as in 2.5.')
/** As the API takes them; it names the pattern only. */
const HOST = /^[A-Za-z0-9.-]{0,253}$/
const PATH = /^\/[!-"$-~]*$/
const NO_HOST = t('Enter a name, as in www.example.org, without scheme and port.')
const NO_PATH = t('Enter a path from / on, percent-encoded.')

function readDraft(draft: StrategyDraft): Reading {
  const { waves, gates, probes, excludeKinds, knobs, failureDomain, filesFirst, onFailure } = draft
  const errors: Record<string, string> = {}
  const check = (pointer: string, trouble: string | null) => {
    if (trouble !== null) errors[pointer] = trouble
  }
  for (const [index, wave] of waves.entries()) check(`/waves/${index}`, waveTrouble(wave))
  for (const [index, gate] of (gates ?? []).entries()) {
    check(`/gates/${index}/max`, DECIMAL.test(gate.max) ? null : NO_NUMBER)
    check(`/gates/${index}/path`, belowTrouble(gate))
  }
  for (const [index, { host, path }] of probes.entries()) {
    check(`/probes/${index}/host`, HOST.test(host) ? null : NO_HOST)
    check(`/probes/${index}/path`, PATH.test(path) ? null : NO_PATH)
  }
  for (const [key, text] of Object.entries(knobs)) check(`/${key}`, knobTrouble(key, text.trim()))
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  const said = Object.entries(knobs).filter(([, text]) => text.trim() !== '')
  return {
    ok: true,
    strategy: {
      waves: waves.map(readWave),
      ...(gates !== null && { gates: gates.map(readGate) }),
      ...(probes.length > 0 && { probes: probes.map(readProbe) }),
      ...(excludeKinds.length > 0 && { excludeKinds }),
      ...Object.fromEntries(said.map(([key, text]) => [key, Number(text)])),
      ...(failureDomain.trim() !== '' && { failureDomain: failureDomain.trim() }),
      ...(!filesFirst && { filesFirst }),
      ...(onFailure !== '' && { onFailure }),
    },
  }
}

function waveTrouble({ kind, size }: WaveDraft): string | null {
  if (kind === 'nodes' || kind === 'eachKind') {
    return WHOLE.test(size) && Number(size) > 0 ? null : t('Enter a whole number from 1 on.')
  }
  return DECIMAL.test(size) && Number(size) <= 100 ? null : t('Enter a share of at most 100 %.')
}

function knobTrouble(key: string, text: string): string | null {
  if (text === '') return null
  if (key.endsWith('Percent')) return DECIMAL.test(text) ? null : NO_NUMBER
  return WHOLE.test(text) ? null : NO_WHOLE_NUMBER
}

function readWave({ kind, size }: WaveDraft): WaveSize {
  const value = Number(size)
  switch (kind) {
    case 'nodes':
      return { nodes: value }
    case 'percent':
      return { percent: value }
    case 'eachKind':
      return { eachKind: value }
    case 'throughputPercent':
      return { throughputPercent: value }
  }
}

const BELOW = /^([A-Za-z0-9.-]{0,253})(\/[!-"$->@-~]{0,254})$/

function belowTrouble({ metric, below }: GateDraft): string | null {
  const isUnsaid = !mayHavePath(metric) || below === ''
  return isUnsaid || BELOW.test(below)
    ? null
    : t('Enter a path from / on, with a host before it or without, as in www.example.org/docs/.')
}

const readGate = ({ metric, below, max, onFail }: GateDraft): Gate => ({
  metric,
  ...(mayHavePath(metric) && readBelow(below)),
  max: isShare(metric) ? Number(max) / 100 : Number(max),
  onFail,
})

function readBelow(below: string): Pick<Gate, 'host' | 'path'> {
  const [, host, path] = BELOW.exec(below) ?? []
  return { ...(host && { host }), ...(path !== undefined && { path }) }
}

const readProbe = ({ host, path }: ProbeDraft) => ({ ...(host !== '' && { host }), path })

/** What the API refused of a strategy, by the same pointers. */
export function refusedFields(
  errors: readonly { pointer: string; message: string }[],
): FieldErrors {
  const below = errors.filter(({ pointer }) => pointer.startsWith('/strategy/'))
  return Object.fromEntries(
    below.map(({ pointer, message }) => [
      pointer.slice('/strategy'.length),
      t('It {message}.', { message }),
    ]),
  )
}

/** Also of what is below: a wave is one field, whatever in it is wrong. */
export function errorAt(errors: FieldErrors, pointer: string): string | null {
  const found = Object.keys(errors).find((at) => at === pointer || at.startsWith(`${pointer}/`))
  return found === undefined ? null : (errors[found] ?? null)
}
