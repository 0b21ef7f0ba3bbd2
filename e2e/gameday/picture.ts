// SPDX-License-Identifier: MIT
// The day as a picture: what visitors and the operator got, and below it what was done, on one axis of time.
import { clock, type Done, type Look } from './day.ts'
import { overTime } from './figures.ts'
import type { Second } from './visitors.ts'

const WIDTH = 1160
const TITLE_HEIGHT = 18
const STRIP_HEIGHT = 60
const SPAN_HEIGHT = 16
const GAP = 12
const BUCKET_SECONDS = 5
/** A quiet day's latencies fill no strip. */
const LEAST_SCALE_MS = 100
const MOST_TICKS = 15
const LANES = [
  { lane: 'deed', title: 'machines, networks, disks, clocks' },
  { lane: 'nodes', title: 'hostile to nodes' },
  { lane: 'control plane', title: 'hostile to the control plane' },
] as const

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)

export const ms = (value: number | null): string => {
  if (value === null) return 'none'
  return value < 1000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(1)} s`
}

/** `share`: of the strip's height. */
type Bar = { at: number; forSeconds: number; share: number; kind: 'good' | 'bad' | 'line' }
type Strip = { title: string; bars: readonly Bar[] }
type Told = { seconds: readonly Second[]; looks: readonly Look[]; done: readonly Done[] }

export function picture({ seconds, looks, done }: Told): string {
  const end = Math.max(1, seconds.length)
  const x = (at: number) => (at / end) * WIDTH
  let top = 0
  const strips = [...visitorStrips(seconds), operatorStrip(looks)].map(({ title, bars }) => {
    const bottom = top + TITLE_HEIGHT + STRIP_HEIGHT
    const drawn = titleAt(title, top) + bars.map((bar) => barAt(bar, bottom, x)).join('')
    top = bottom + GAP
    return drawn
  })
  const lanes = LANES.map(({ lane, title }) => {
    const some = done.filter((one) => one.lane === lane)
    const drawn = some.map((one) => spanAt(one, { top: top + TITLE_HEIGHT, x, end }))
    const whole = titleAt(title, top) + drawn.join('')
    top += TITLE_HEIGHT + SPAN_HEIGHT + GAP
    return whole
  })
  const height = top + TITLE_HEIGHT
  const inside = [...strips, ...lanes, ticks(end, height - 4, x)].join('')
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Answers, waits and faults over time">${inside}</svg>`
}

const titleAt = (title: string, top: number) =>
  `<text class="title" x="0" y="${top + TITLE_HEIGHT - 5}">${escaped(title)}</text>`

function visitorStrips(seconds: readonly Second[]): Strip[] {
  const points = overTime(seconds, BUCKET_SECONDS)
  const most = Math.max(LEAST_SCALE_MS, ...points.map(({ p99Ms }) => p99Ms ?? 0))
  const place = { forSeconds: BUCKET_SECONDS }
  return [
    {
      title: 'visitors answered right, of all',
      bars: points.flatMap(({ at, availability }) => {
        if (availability === null) return []
        return { ...place, at, share: availability, kind: availability < 1 ? 'bad' : 'good' }
      }),
    },
    {
      title: `visitors’ 99th percentile, up to ${ms(most)}`,
      bars: points.flatMap(({ at, p99Ms }) =>
        p99Ms === null ? [] : { ...place, at, share: p99Ms / most, kind: 'line' },
      ),
    },
  ]
}

function operatorStrip(looks: readonly Look[]): Strip {
  const most = Math.max(LEAST_SCALE_MS, ...looks.map(({ afterMs }) => afterMs ?? 0))
  return {
    title: `the operator’s wait for an answer, up to ${ms(most)}; red: none came`,
    bars: looks.map(({ at, afterMs }) => {
      const place = { at, forSeconds: 1 }
      if (afterMs === null) return { ...place, share: 1, kind: 'bad' }
      return { ...place, share: afterMs / most, kind: 'line' }
    }),
  }
}

function barAt({ at, forSeconds, share, kind }: Bar, bottom: number, x: (at: number) => number) {
  const height = Math.max(1, share * STRIP_HEIGHT)
  const width = Math.max(1, x(forSeconds))
  return `<rect class="${kind}" x="${x(at).toFixed(1)}" y="${(bottom - height).toFixed(1)}" width="${width.toFixed(2)}" height="${height.toFixed(1)}"/>`
}

type Place = { top: number; x: (at: number) => number; end: number }

/** Dark while it was done, light until all was well again. */
function spanAt({ kind, from, to, about, recoveredAfterMs }: Done, { top, x, end }: Place): string {
  const well = recoveredAfterMs === null ? end : to + recoveredAfterMs / 1000
  const after = recoveredAfterMs === null ? 'bad' : 'after'
  const title = `<title>${escaped(`${clock(from)} ${kind}: ${about}`)}</title>`
  const span = (name: string, first: number, last: number) =>
    `<rect class="${name}" x="${x(first).toFixed(1)}" y="${top}" width="${Math.max(1, x(last) - x(first)).toFixed(1)}" height="${SPAN_HEIGHT}">${title}</rect>`
  return span('did', from, to) + (well > to ? span(after, to, well) : '')
}

function ticks(end: number, y: number, x: (at: number) => number): string {
  const every = 60 * Math.max(1, Math.ceil(end / 60 / MOST_TICKS))
  const all = Array.from({ length: Math.floor(end / every) + 1 }, (_, i) => i * every)
  return all
    .map((at) => `<text class="tick" x="${x(at).toFixed(1)}" y="${y}">${clock(at)}</text>`)
    .join('')
}
