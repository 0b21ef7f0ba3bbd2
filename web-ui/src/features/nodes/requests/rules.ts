// SPDX-License-Identifier: MIT
import { t } from '../../../languages/t.ts'
import type { RequestSample, Samples } from '../../../lib/api-types.ts'

/** How far back the points go. */
export const SHOWN_SECONDS = 120
const MOST_POINTS = 30_000

/** Of what a request's time mostly was; in the order in which it happens. */
export const parts = {
  lookUp: { label: t('Look-up'), stages: ['statWait', 'stat'], colour: '--fs-series-2' },
  disk: { label: t('Disk'), stages: ['readWait', 'read'], colour: '--fs-series-3' },
  write: { label: t('Write'), stages: ['write'], colour: '--fs-series-1' },
  node: { label: t('The node itself'), stages: [], colour: '--fs-dim' },
} as const
export type Part = keyof typeof parts
export const partNames = Object.keys(parts) as Part[]

export type Point = RequestSample & { atMs: number; totalSeconds: number; part: Part }
export type Live = {
  state: Samples['state']
  next: number
  /** Of the newest batch, on the control plane’s clock: the right end. */
  nowMs: number
  /** Requests since the batch before. */
  seen: number
  points: Point[]
}

export function pointOf(sample: RequestSample): Point {
  const { stageSeconds } = sample
  const totalSeconds = stageSeconds.total ?? 0
  let part: Part = 'node'
  let longest = totalSeconds
  const times = partNames.map((name) => {
    const seconds = parts[name].stages.reduce((sum, stage) => sum + (stageSeconds[stage] ?? 0), 0)
    longest -= seconds
    return { name, seconds }
  })
  for (const { name, seconds } of times) if (seconds > longest) [part, longest] = [name, seconds]
  return { ...sample, atMs: Date.parse(sample.startedAt), totalSeconds, part }
}

/** What is known by now. `before`: of another start of the service it is kept, too. */
export function withAnswer(before: Live | undefined, answer: Samples): Live {
  const newest = answer.batches.at(-1)
  const nowMs = newest ? Date.parse(newest.receivedAt) : (before?.nowMs ?? 0)
  const added = answer.batches.flatMap(({ samples }) => samples.map(pointOf))
  const points = [...(before?.points ?? []), ...added]
    .filter(({ atMs }) => atMs > nowMs - SHOWN_SECONDS * 1000)
    .slice(-MOST_POINTS)
  return {
    state: answer.state,
    next: answer.next,
    nowMs,
    seen: newest?.seen ?? before?.seen ?? 0,
    points,
  }
}

const LOWEST = 1e-5
const HIGHEST = 100
/** Ten times as long is a step up. */
export const decades = [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100]

/** Where it is drawn, from 0 to 1: to the right, and upwards. */
export const placeOf = ({ atMs, totalSeconds }: Point, nowMs: number) => ({
  x: 1 - (nowMs - atMs) / (SHOWN_SECONDS * 1000),
  y: heightOf(totalSeconds),
})
export const heightOf = (seconds: number): number =>
  Math.log(Math.min(Math.max(seconds, LOWEST), HIGHEST) / LOWEST) / Math.log(HIGHEST / LOWEST)

/** What lies at such a height. */
export const secondsAt = (height: number): number => LOWEST * (HIGHEST / LOWEST) ** height

const LISTED = 50

/** As a file of numbers: the newest last, as they came. */
export const pointRows = (points: readonly Point[]): (string | number | null)[][] => [
  ['began', 'seconds', 'mostly', 'status', 'reason', 'path'],
  ...points.map(({ startedAt, totalSeconds, part, status, reason, path }) => [
    ...[startedAt, totalSeconds, part, status, reason, path],
  ]),
]

/** The slowest of those that are shown. */
export const slowest = (points: readonly Point[]): Point[] =>
  points.toSorted((a, b) => b.totalSeconds - a.totalSeconds).slice(0, LISTED)

/** `clientGone` as people say it. */
export const reasonWords = (reason: string): string =>
  reason.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
