// SPDX-License-Identifier: MIT
// What a busy farmstead-node reported in five seconds: recorded-report.json, made by record-report.ts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportRequest, Window } from '../../src/agent-protocol/messages.gen.ts'

const text = readFileSync(join(import.meta.dirname, 'recorded-report.json'), 'utf8')
export const RECORDED: ReportRequest = JSON.parse(text)
export const REPORT_EVERY_MS = 5_000

const series = RECORDED.windows[0]?.series[0]
if (!series) throw new Error('recorded-report.json has no window with requests: record it anew')
const COUNTERS = JSON.stringify(series.counters)
const STAGES = JSON.stringify(series.stages)

type Place = { startedMs: number; durationMs: number }
const usualPlace = (seq: number): Place => ({
  startedMs: (seq - 1) * REPORT_EVERY_MS,
  durationMs: REPORT_EVERY_MS,
})

/** The same measurements as those of another generation and time; as text, so that nothing is shared once it is read. */
export function windowText(seq: number, generation: number, place = usualPlace(seq)): string {
  const { startedMs, durationMs } = place
  return `{"seq":${seq},"startedMs":${startedMs},"durationMs":${durationMs},"series":[{"generation":${generation},"counters":${COUNTERS},"stages":${STAGES}}]}`
}

export const windowOf = (seq: number, generation: number): Window =>
  JSON.parse(windowText(seq, generation))
