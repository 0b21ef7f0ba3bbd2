// SPDX-License-Identifier: MIT
// A node's machine: the newest facts it told, and rates between the last two. Pure. No data is null,
// never zero.
import type { Host, HostRoot } from '../agent-protocol/messages.gen.ts'

export type HostSample = {
  facts: Host
  bootId: string
  /** The serving process's own clock: what passed between two samples, however late they came. */
  uptimeMs: number
  /** Wall clock of ours, for people. */
  atMs: number
}
export type RootRates = {
  readBytesPerSecond: number | null
  readsPerSecond: number | null
  /** Mean over the reads of the interval. */
  millisecondsPerRead: number | null
}
export type HostView = Omit<Host, 'roots'> & {
  atMs: number
  /** Of all CPUs, 0 to 1. */
  cpuBusyRatio: number | null
  roots: (HostRoot & RootRates)[]
}

export function viewHost(newest: HostSample, before: HostSample | null): HostView {
  const { facts, atMs } = newest
  const isOneRun = before !== null && before.bootId === newest.bootId
  const seconds = isOneRun ? (newest.uptimeMs - before.uptimeMs) / 1000 : 0
  const earlier = isOneRun && seconds > 0 ? before.facts : null
  const rate = (from: number | null | undefined, to: number | null) =>
    over(increase(from, to), seconds)
  const busy = rate(earlier?.cpuBusySeconds, facts.cpuBusySeconds)
  return {
    ...facts,
    atMs,
    cpuBusyRatio: busy === null || !facts.cpuCount ? null : Math.min(1, busy / facts.cpuCount),
    roots: facts.roots.map((root) => {
      const was = earlier?.roots.find((one) => one.path === root.path && one.device === root.device)
      const reads = increase(was?.readsTotal, root.readsTotal)
      return {
        ...root,
        readBytesPerSecond: rate(was?.readBytesTotal, root.readBytesTotal),
        readsPerSecond: over(reads, seconds),
        millisecondsPerRead: over(increase(was?.readMilliseconds, root.readMilliseconds), reads),
      }
    }),
  }
}

/** null: unknown, or the counter began anew. */
function increase(from: number | null | undefined, to: number | null): number | null {
  if (from === null || from === undefined || to === null || to < from) return null
  return to - from
}

const over = (amount: number | null, by: number | null) =>
  amount === null || by === null || by <= 0 ? null : amount / by

const KEPT_OFFSETS = 6

/** How far the node's clock was ahead of ours, in its newest reports; none of a node that does not tell. */
export function withOffset(
  known: readonly number[],
  { facts, atMs }: Pick<HostSample, 'facts' | 'atMs'>,
): readonly number[] {
  const { unixTimeMs } = facts
  return unixTimeMs === undefined ? known : [...known, unixTimeMs - atMs].slice(-KEPT_OFFSETS)
}

/** Each report was under way for a while, which makes the clock seem behind: the quickest errs least. */
export const clockOffsetMs = (offsets: readonly number[]): number | null =>
  offsets.length > 0 ? Math.max(...offsets) : null
