// SPDX-License-Identifier: MIT
// How often nodes report, when what they report is not kept as fast as it comes: they make longer windows, of which each costs
// as much as a short one, and nothing is lost. By how long reports waited to be kept, and by how many nodes there are: to read
// a report takes the thread that answers everybody, which should not be busy with that alone.

/** Of the usual time between two reports. */
const FACTORS = [1, 2, 4, 6] as const
const MOST = FACTORS[3]
/** A thousand reports a second, at the usual five seconds between two of a node. */
const NODES_AS_USUAL = 5_000
const LATE_MS = 2_000
const IN_TIME_MS = 200
/** What was said needs a while to be seen; and who got better too soon is late again. */
const SLOWER_AFTER_MS = 15_000
const FASTER_AFTER_MS = 60_000
/** Of ten thousand reports some come while something else takes the thread: that says nothing of how fast they are kept. */
const MOST_LATE_SHARE = 0.01

export type Pace = {
  /** One was kept, and waited so long for that. */
  kept(waitedMs: number, nowMs: number): void
  /** 1: as usual. */
  factor(): number
}

export function createPace(connectedNodes: () => number): Pace {
  let at = 0
  let changedAtMs: number | null = null
  /** What was kept since none was really late, until a minute is over. */
  let stretch: { sinceMs: number; kept: number; late: number } | null = null

  const goTo = (next: number, nowMs: number) => {
    at = Math.min(Math.max(next, 0), FACTORS.length - 1)
    changedAtMs = nowMs
    stretch = null
  }

  return {
    kept(waitedMs, nowMs) {
      // A clock that was set back says nothing of how long ago something was.
      if (changedAtMs !== null && nowMs < changedAtMs) changedAtMs = nowMs
      if (stretch && nowMs < stretch.sinceMs) stretch.sinceMs = nowMs
      const sinceMs = changedAtMs === null ? Number.POSITIVE_INFINITY : nowMs - changedAtMs
      if (waitedMs >= LATE_MS) {
        stretch = null
        if (sinceMs >= SLOWER_AFTER_MS && at < FACTORS.length - 1) goTo(at + 1, nowMs)
        return
      }
      stretch ??= { sinceMs: nowMs, kept: 0, late: 0 }
      stretch.kept++
      if (waitedMs > IN_TIME_MS) stretch.late++
      if (nowMs - stretch.sinceMs < FASTER_AFTER_MS) return
      const isInTime = stretch.late <= MOST_LATE_SHARE * stretch.kept
      stretch = null
      if (isInTime && at > 0) goTo(at - 1, nowMs)
    },
    factor: () =>
      Math.max(FACTORS[at] ?? 1, Math.min(MOST, Math.ceil(connectedNodes() / NODES_AS_USUAL))),
  }
}
