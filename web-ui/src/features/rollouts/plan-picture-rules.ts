// SPDX-License-Identifier: MIT
// What the picture of a plan shows and says. Pure.

import type { CellLook } from '../../components/cells/cells-picture.tsx'
import { boundsOf, levelOf, levelsOf, lookOfLevel } from '../../components/cells/levels.ts'
import { type Shape, shapePaths, type Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { PlanCells, RolloutPlan } from '../../lib/api-types.ts'
import { formatCount, formatRate, formatRatio, namesOf } from '../../lib/format.ts'
import { formatDuration } from '../../lib/time.ts'

/** What the picture is of: a plan, or what an order would still do. */
export type Outline = Pick<
  RolloutPlan,
  'waves' | 'changingNodes' | 'wavePlans' | 'mostAtOnce' | 'changingKinds' | 'policy'
>

/** By what the cells are told apart. */
export const pictures = {
  standing: t('What happens'),
  requests: t('Requests per second'),
  domain: t('Failure domain'),
} as const
export type Picture = keyof typeof pictures
export const isPicture = (value: string): value is Picture => Object.hasOwn(pictures, value)

export type PlanStanding = PlanCells['standings'][number]
export const planStandingVerdict = {
  takes: { label: t('Takes it now'), tone: 'info', shape: 'half' },
  away: { label: t('Takes it on return'), tone: 'warn', shape: 'ring' },
  drifted: { label: t('Changed by hand'), tone: 'bad', shape: 'diamond' },
  'will-refuse': { label: t('Will refuse it'), tone: 'bad', shape: 'square' },
  invalid: { label: t('Would refuse it'), tone: 'bad', shape: 'triangle' },
} satisfies Record<PlanStanding, Verdict>

export type Painted = {
  kinds: readonly string[]
  lookOf: (kind: string) => CellLook
  entries: { kind: string; label: string }[]
}

export function paintedBy(
  picture: Picture,
  cells: PlanCells,
  standings: readonly PlanStanding[],
): Painted {
  if (picture === 'domain') return byDomain(cells)
  if (picture === 'requests') return byRequests(cells)
  return {
    kinds: standings,
    lookOf: (kind) => {
      const { tone, shape } = planStandingVerdict[kind as PlanStanding]
      return { colour: `--fs-${tone}`, paths: shapePaths[shape] }
    },
    entries: Object.entries(planStandingVerdict).map(([kind, { label }]) => ({ kind, label })),
  }
}

function byRequests({ requestsPerSecond }: PlanCells): Painted {
  const bounds = boundsOf(requestsPerSecond)
  const levels = bounds?.length ?? 0
  return {
    kinds: requestsPerSecond.map((rate) => levelOf(rate, bounds ?? [])),
    lookOf: (kind) => lookOfLevel(kind, levels),
    entries: levelsOf(bounds, formatRate),
  }
}

/** Told apart by their shapes, too; of more than these nobody could. */
const DOMAIN_SHAPES: readonly Shape[] = ['disc', 'square', 'triangle', 'diamond', 'half']
const REST = DOMAIN_SHAPES.length
const NO_DOMAIN = 'without'

function byDomain({ domains, domainOf }: PlanCells): Painted {
  const named = domains.filter((domain) => domain !== null)
  const rankOf = new Map(named.map((domain, rank) => [domain, rank]))
  const placeOf = domains.map((domain) =>
    domain === null ? NO_DOMAIN : String(Math.min(rankOf.get(domain) ?? REST, REST)),
  )
  const rest = named.length - REST
  return {
    kinds: domainOf.map((place) => placeOf[place] ?? NO_DOMAIN),
    lookOf: (kind) => {
      if (kind === NO_DOMAIN) return { colour: '--fs-line-strong', paths: { line: 'M4 6h4' } }
      const shape = DOMAIN_SHAPES[Number(kind)] ?? 'ring'
      return { colour: `--fs-series-${Number(kind) + 1}`, paths: shapePaths[shape] }
    },
    entries: [
      ...named.slice(0, REST).map((domain, place) => ({ kind: String(place), label: domain })),
      ...(rest > 0
        ? [{ kind: String(REST), label: t('{rest} other domains', { rest: formatCount(rest) }) }]
        : []),
      { kind: NO_DOMAIN, label: t('in no failure domain') },
    ],
  }
}

export function domainWords({ domains, domainOf }: PlanCells, cell: number): string[] {
  const domain = domains[domainOf[cell] ?? -1] ?? null
  return domain === null ? [] : [t('in {domain}', { domain })]
}

export const rateWords = (rate: number | null) =>
  rate === null
    ? t('requests not measured')
    : t('{rate} requests a second', { rate: formatRate(rate) })

const totalRate = ({ wavePlans }: Outline) =>
  wavePlans.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0)

const shareWords = (part: number, whole: number) => formatRatio(whole === 0 ? null : part / whole)

/** What a wave carries, below its title. */
export function waveNote(plan: Outline, index: number): string {
  const wave = plan.wavePlans[index]
  if (wave === undefined || wave.nodes === 0) return t('nothing to change')
  const { requestsPerSecond, unmeasuredNodes, nodes, failureDomains } = wave
  const total = totalRate(plan)
  const domains = failureDomains.items.filter((domain) => domain !== null)
  return [
    unmeasuredNodes === nodes
      ? t('requests not measured')
      : t('{shareWords} of requests, {requestsPerSecond} a second', {
          shareWords: shareWords(requestsPerSecond, total),
          requestsPerSecond: formatRate(requestsPerSecond),
        }),
    ...(domains.length > 0 && failureDomains.total <= 2
      ? [t('in {domains}', { domains: namesOf(domains) })]
      : []),
    ...(failureDomains.total > 2
      ? [
          t('{failureDomains, plural, one {# failure domain} other {# failure domains}}', {
            failureDomains: failureDomains.total,
          }),
        ]
      : []),
  ].join('; ')
}

/** How much of the farm can be between two configs at once. */
export function blastWords(plan: Outline): string {
  const { mostAtOnce, changingNodes } = plan
  const total = totalRate(plan)
  const nodes = t(
    'Between two configs at the same time: at most {nodes} of {changingNodes, plural, one {# node} other {# nodes}}',
    { nodes: formatCount(mostAtOnce.nodes), changingNodes },
  )
  if (total === 0) return t('{nodes}. What they serve was not measured.', { nodes })
  const share = shareWords(mostAtOnce.requestsPerSecond, total)
  return t('{nodes}. If those were the busiest, {share} of all their requests.', { nodes, share })
}

/** What is known once the first wave is through, and how long that takes. */
export function firstWaveProves(plan: Outline): string[] {
  const [first, ...others] = plan.wavePlans.filter(({ nodes }) => nodes > 0)
  const { gates, minSamples, isAlone, soakSeconds, maxSoakSeconds } = plan.policy
  if (first === undefined || plan.policy.maxParallel === null) return []
  const all = plan.changingKinds
  const kinds =
    others.length === 0
      ? []
      : [
          first.kinds === all
            ? all === 1
              ? t(
                  'The first wave has the one kind of node there is: what a kind would refuse shows there.',
                )
              : t(
                  'The first wave has each of the {all} kinds of nodes: what a kind would refuse shows there.',
                  { all: formatCount(all) },
                )
            : t(
                'The first wave has {kinds} of {all, plural, one {# kind} other {# kinds}} of nodes: what the others would refuse shows later.',
                { kinds: formatCount(first.kinds), all },
              ),
        ]
  if (gates.length === 0 || isAlone) return kinds
  return [...kinds, evidenceWords({ first, minSamples, soakSeconds, maxSoakSeconds })]
}

type Wanted = { first: Outline['wavePlans'][number] } & Pick<
  Outline['policy'],
  'minSamples' | 'soakSeconds' | 'maxSoakSeconds'
>

function evidenceWords({ first, minSamples, soakSeconds, maxSoakSeconds }: Wanted): string {
  const needs = t('Its gates need {minSamples, plural, one {# request} other {# requests}}', {
    minSamples,
  })
  const rate = first.requestsPerSecond
  if (rate === 0)
    return t('{needs}, and none was measured of its nodes in the last minute.', { needs })
  const seconds = Math.max(1, Math.ceil(minSamples / rate))
  const takes = formatDuration(seconds)
  if (seconds <= soakSeconds)
    return t('{needs}: its nodes serve as many in {takes}.', { needs, takes })
  return seconds <= maxSoakSeconds
    ? t('{needs}: its nodes serve as many in {takes}, so it is watched for longer.', {
        needs,
        takes,
      })
    : t(
        '{needs}: its nodes would serve as many in {takes}, longer than the {maxSoakSeconds} it is watched for.',
        { needs, takes, maxSoakSeconds: formatDuration(maxSoakSeconds) },
      )
}
