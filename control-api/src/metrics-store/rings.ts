// SPDX-License-Identifier: MIT
// Which resolutions are kept for how long, and which of them answers a question.

export type Ring = { resolutionSeconds: number; keepSeconds: number }

const HOUR = 3600
const DAY = 24 * HOUR
/** Finest first. Each resolution divides the next. */
export const RINGS: readonly Ring[] = [
  { resolutionSeconds: 10, keepSeconds: 6 * HOUR },
  { resolutionSeconds: 60, keepSeconds: 7 * DAY },
  { resolutionSeconds: 900, keepSeconds: 400 * DAY },
]
export const MAX_POINTS = 1500
const DEFAULT_POINTS = 300
const HANDY_STEPS = [
  10,
  20,
  30,
  60,
  120,
  300,
  600,
  900,
  1800,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
]

export type Range = { fromSeconds: number; toSeconds: number }
export type Plan = Range & { stepSeconds: number; resolutionSeconds: number }

/**
 * The step as asked for when it can be had, else the next coarser one that can: older times are kept
 * coarser, and an answer has at most `maxPoints` steps. The range is widened to whole steps.
 */
export function planQuery(
  range: Range,
  askedStepSeconds: number | null,
  nowSeconds: number,
  maxPoints = MAX_POINTS,
): Plan {
  const span = Math.max(1, range.toSeconds - range.fromSeconds)
  const wanted = Math.max(askedStepSeconds ?? handyStep(span), Math.ceil(span / maxPoints))
  const covering = RINGS.filter((ring) => range.fromSeconds >= nowSeconds - ring.keepSeconds)
  const finest = covering[0]?.resolutionSeconds ?? RINGS.at(-1)?.resolutionSeconds ?? wanted
  const stepSeconds = Math.ceil(Math.max(wanted, finest) / finest) * finest
  const fitting = covering.filter((ring) => stepSeconds % ring.resolutionSeconds === 0)
  const fromSeconds = Math.floor(range.fromSeconds / stepSeconds) * stepSeconds
  const toSeconds = Math.max(
    fromSeconds + stepSeconds,
    Math.ceil(range.toSeconds / stepSeconds) * stepSeconds,
  )
  return {
    fromSeconds,
    toSeconds: Math.min(toSeconds, fromSeconds + maxPoints * stepSeconds),
    stepSeconds,
    resolutionSeconds: fitting.at(-1)?.resolutionSeconds ?? finest,
  }
}

const handyStep = (spanSeconds: number) =>
  HANDY_STEPS.find((step) => spanSeconds / step <= DEFAULT_POINTS) ??
  Math.ceil(spanSeconds / DEFAULT_POINTS / DAY) * DAY

/** Start of the step of that ring in which a window ended; null: the ring has let go of it. */
export function stepOf(endedAtMs: number, ring: Ring, nowMs: number): number | null {
  if (endedAtMs < nowMs - ring.keepSeconds * 1000) return null
  return stepStart(Math.floor(endedAtMs / 1000), ring)
}

export const stepStart = (seconds: number, { resolutionSeconds }: Ring): number =>
  seconds - (seconds % resolutionSeconds)

export function ringOf({ resolutionSeconds }: { resolutionSeconds: number }): Ring {
  const ring = RINGS.find((one) => one.resolutionSeconds === resolutionSeconds)
  if (!ring) throw new RangeError(`there is no ring of ${resolutionSeconds} s`)
  return ring
}
