// SPDX-License-Identifier: MIT
// A part of the picture of requests: between which times they began, and how long they took. Pure.
import { heightOf, type Point, SHOWN_SECONDS, secondsAt } from './rules.ts'

/** null: open at that end. Times are of the control plane's clock, so that the area goes left with its requests. */
export type Area = {
  fromMs: number | null
  toMs: number | null
  leastSeconds: number | null
  mostSeconds: number | null
}

export const everything: Area = {
  ...{ fromMs: null, toMs: null, leastSeconds: null, mostSeconds: null },
}

export const isEverything = (area: Area) => Object.values(area).every((end) => end === null)

/** A corner, from 0 to 1: to the right, and upwards. */
export type Corner = { x: number; y: number }

/** What was dragged out. At the edges of the picture it is open: what is beyond them is drawn there, too. */
export function areaBetween(a: Corner, b: Corner, nowMs: number): Area {
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)]
  const [low, high] = [Math.min(a.y, b.y), Math.max(a.y, b.y)]
  const timeAt = (x: number) => nowMs - (1 - x) * SHOWN_SECONDS * 1000
  return {
    fromMs: left <= 0 ? null : timeAt(left),
    toMs: right >= 1 ? null : timeAt(right),
    leastSeconds: low <= 0 ? null : secondsAt(low),
    mostSeconds: high >= 1 ? null : secondsAt(high),
  }
}

export const isWithin = ({ atMs, totalSeconds }: Point, area: Area): boolean =>
  atMs >= (area.fromMs ?? Number.NEGATIVE_INFINITY) &&
  atMs <= (area.toMs ?? Number.POSITIVE_INFINITY) &&
  totalSeconds >= (area.leastSeconds ?? 0) &&
  totalSeconds <= (area.mostSeconds ?? Number.POSITIVE_INFINITY)

export type Box = { left: number; right: number; low: number; high: number }

/** Where it is in the picture by now, from 0 to 1; null: all of it has left. */
export function boxOf(area: Area, nowMs: number): Box | null {
  const placeOf = (ms: number) => 1 - (nowMs - ms) / (SHOWN_SECONDS * 1000)
  const within = (at: number) => Math.min(1, Math.max(0, at))
  const box = {
    left: within(area.fromMs === null ? 0 : placeOf(area.fromMs)),
    right: within(area.toMs === null ? 1 : placeOf(area.toMs)),
    low: area.leastSeconds === null ? 0 : heightOf(area.leastSeconds),
    high: area.mostSeconds === null ? 1 : heightOf(area.mostSeconds),
  }
  return box.right <= box.left || box.high <= box.low ? null : box
}

const CLOCK = /^(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/
const DAY_MS = 24 * 3600 * 1000

/** The moment that such a clock shows here, nearest to now: around midnight it may be of yesterday. */
export function momentOf(clock: string, nowMs: number): number | null {
  const [, hours, minutes, seconds = '0'] = CLOCK.exec(clock) ?? []
  if (hours === undefined) return null
  const at = new Date(nowMs).setHours(Number(hours), Number(minutes), Number(seconds), 0)
  const days = [-DAY_MS, 0, DAY_MS].map((day) => at + day)
  return days.reduce((a, b) => (Math.abs(b - nowMs) < Math.abs(a - nowMs) ? b : a))
}

/** As a field of time has it. */
export function clockOf(ms: number | null): string {
  if (ms === null) return ''
  const two = (part: number) => String(part).padStart(2, '0')
  const at = new Date(ms)
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
}

/** Milliseconds as typed; '' or what is no number: open. */
export function durationOf(typed: string): number | null {
  const ms = Number(typed)
  return typed.trim() === '' || !Number.isFinite(ms) || ms < 0 ? null : ms / 1000
}

const DIGITS = 3
export const typedDuration = (seconds: number | null): string =>
  seconds === null ? '' : String(Number((seconds * 1000).toPrecision(DIGITS)))
