// SPDX-License-Identifier: MIT
// The pictures of a run as SVG. Times are on a logarithmic axis: a stall and a usual answer are both to be seen.
import { type Counted, STAGES, type Stage } from './heart.ts'
import { durationText } from './objectives.ts'
import { STAGE_WORDS } from './report.ts'

const WIDTH = 1000
const HEIGHT = 260
const LEFT = 70
const BOTTOM = 30

export const STYLE = `
svg { width: 100%; height: auto; font-size: 12px; } svg text { fill: var(--faint); } figure { margin: 1rem 0; }
figcaption { color: var(--faint); } .axis { stroke: var(--line); } .dot { fill: var(--mark); fill-opacity: .45; }
.dot.bad { fill: var(--bad); fill-opacity: .9; } .bar { fill: var(--mark); fill-opacity: .35; } .bar.bad { fill: var(--bad); }
.curve { fill: none; stroke: var(--mark); stroke-width: 1.5; }
`

type Scale = (value: number) => number
const right = WIDTH - 10
const floor = HEIGHT - BOTTOM

const linear =
  (most: number, from: number, to: number): Scale =>
  (value) =>
    from + ((to - from) * value) / Math.max(most, 1e-9)

/** From the power of ten below `least` to the one above `most`, in ms. */
function logarithmic(least: number, most: number) {
  const low = Math.floor(Math.log10(Math.max(least, 1e-4)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(most, 1e-4))))
  const scale: Scale = (ms) => {
    const at = (Math.log10(Math.max(ms, 10 ** low)) - low) / (high - low)
    return floor - at * (floor - 10)
  }
  const powers = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at))
  return { scale, powers }
}

const round = (value: number) => Number(value.toFixed(1))

const timeAxis = (endMs: number, x: Scale) =>
  [0, 0.25, 0.5, 0.75, 1]
    .map(
      (share) =>
        `<text x="${round(x(share * endMs))}" y="${HEIGHT - 8}" text-anchor="middle">${(share * endMs) / 1000 >= 10 ? Math.round((share * endMs) / 1000) : ((share * endMs) / 1000).toFixed(2)} s</text>`,
    )
    .join('')

const latencyAxis = ({ scale, powers }: ReturnType<typeof logarithmic>) =>
  powers
    .map((ms) => {
      const y = round(scale(ms))
      return `<line class="axis" x1="${LEFT}" x2="${right}" y1="${y}" y2="${y}"/><text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${durationText(ms / 1000)}</text>`
    })
    .join('')

const figure = (title: string, said: string, inside: string) =>
  `<figure><figcaption>${title}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}. ${said}">${inside}</svg></figure>`

const endOf = ({ slots }: Counted) => Math.max(1, ...slots.map(([fromMs]) => fromMs)) * 1.01

/** In each part of the time the requests that were due, and the longest that one of them took. */
export function timeline(counted: Counted): string {
  const { slots } = counted
  if (slots.length === 0) return ''
  const end = endOf(counted)
  const x = linear(end, LEFT, right)
  const most = Math.max(...slots.map(([, requests]) => requests))
  const longest = Math.max(...slots.map(([, , , maxMs]) => maxMs))
  const axis = logarithmic(longest / 1000, longest)
  const width = Math.max(1, round((right - LEFT) / Math.max(1, slots.length) - 0.3))
  const bars = slots.map(([fromMs, requests, faults]) => {
    const y = linear(most, floor, floor - 60)
    const bar = (many: number, kind: string) =>
      many === 0
        ? ''
        : `<rect class="bar${kind}" x="${round(x(fromMs))}" width="${width}" y="${round(y(many))}" height="${round(floor - y(many))}"/>`
    return bar(requests, '') + bar(faults, ' bad')
  })
  const points = slots.map(
    ([fromMs, , , maxMs]) => `${round(x(fromMs))},${round(axis.scale(maxMs))}`,
  )
  return figure(
    'The longest latency in each moment, by when requests were due; below, how many there were',
    `The longest was ${durationText(longest / 1000)}.`,
    `${latencyAxis(axis)}${bars.join('')}<polyline class="curve" points="${points.join(' ')}"/>${timeAxis(end, x)}`,
  )
}

type Sample = { dueMs: number; ms: number; isBad: boolean }

function samplesOf({ samples }: Counted, stage: number): Sample[] {
  return samples.flatMap((sample) => {
    const ms = Number(sample[1 + stage])
    const isBad = sample.at(-1) !== 'none'
    return ms > 0 ? [{ dueMs: Number(sample[0]), ms, isBad }] : []
  })
}

function stageScatter(counted: Counted, stage: Stage, at: number): string {
  const samples = samplesOf(counted, at)
  if (samples.length === 0) return ''
  const times = samples.map(({ ms }) => ms)
  const axis = logarithmic(Math.min(...times), Math.max(...times))
  const end = endOf(counted)
  const x = linear(end, LEFT, right)
  const dots = samples.map(
    ({ dueMs, ms, isBad }) =>
      `<circle class="dot${isBad ? ' bad' : ''}" r="1.8" cx="${round(x(dueMs))}" cy="${round(axis.scale(ms))}"/>`,
  )
  return figure(
    STAGE_WORDS[stage],
    `${samples.length} requests drawn by lot.`,
    `${latencyAxis(axis)}${dots.join('')}${timeAxis(end, x)}`,
  )
}

/** A point for each request of a sample, of each stage. */
export function scatter(counted: Counted): string {
  const shown = STAGES.filter((stage) => stage !== 'lag')
  const pictures = shown.map((stage, at) => stageScatter(counted, stage, at)).join('\n')
  return pictures && `<h2>Each stage of single requests, by when they were due</h2>${pictures}`
}

/** The share of requests that took longer: the buckets are those of the nodes' pictures. */
export function distribution({ stages }: Counted): string {
  const { count, zeroCount, buckets, maxNs } = stages.latency
  if (count === 0) return ''
  const edgeMs = (index: number) => 1000 * 2 ** ((index + 1) / 8)
  let above = count - zeroCount
  const steps = buckets.map(([index, many]) => {
    above -= many
    return { ms: Math.min(edgeMs(index), maxNs / 1e6), share: above / count }
  })
  const first = steps[0]?.ms ?? 1e-3
  const low = Math.log10(first)
  const x = linear(Math.log10(maxNs / 1e6) - low, LEFT, right)
  const least = 1 / count
  const y = (share: number) =>
    10 + ((floor - 10) * Math.log10(Math.max(share, least))) / Math.min(Math.log10(least), -1e-9)
  const points = steps.map(
    ({ ms, share }) => `${round(x(Math.log10(ms) - low))},${round(y(share))}`,
  )
  const shares = [1, 0.1, 0.01, 0.001, 0.0001, 0.00001].filter((share) => share >= least)
  const lines = shares.map(
    (share) =>
      `<line class="axis" x1="${LEFT}" x2="${right}" y1="${round(y(share))}" y2="${round(y(share))}"/><text x="${LEFT - 8}" y="${round(y(share)) + 4}" text-anchor="end">${Number((100 * share).toPrecision(2))} %</text>`,
  )
  const ends = [first, maxNs / 1e6].map(
    (ms, at) =>
      `<text x="${at ? right : LEFT}" y="${HEIGHT - 8}" text-anchor="${at ? 'end' : 'start'}">${durationText(ms / 1000)}</text>`,
  )
  return figure(
    'How many requests took longer than a time',
    `None took longer than ${durationText(maxNs / 1e9)}.`,
    `${lines.join('')}<polyline class="curve" points="${points.join(' ')}"/>${ends.join('')}`,
  )
}
