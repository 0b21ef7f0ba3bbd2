// SPDX-License-Identifier: MIT
// The process: memory, processor, and how late its one event loop is.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { byLabel, type Family, gauge } from './exposition.ts'

/** The lag told is that of the last whole stretch, whoever asks and how often. */
const STRETCH_MS = 10_000
const RESOLUTION_MS = 20
const QUANTILES = ['0.5', '0.99', '1'] as const

export function watchProcess(startedAtMs: number) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  let lag: (readonly [string, number])[] = []
  const take = () => {
    // The timer itself is RESOLUTION_MS late by design.
    const seconds = (q: string) =>
      Math.max(0, delay.percentile(Number(q) * 100) / 1e9 - RESOLUTION_MS / 1000)
    lag = QUANTILES.map((q) => [q, seconds(q)] as const)
    delay.reset()
  }
  const timer = setInterval(take, STRETCH_MS)
  timer.unref()

  return {
    families(): Family[] {
      if (lag.length === 0) take()
      const { user, system } = process.cpuUsage()
      const lagFamily = {
        name: 'farmstead_event_loop_lag_seconds',
        type: 'gauge' as const,
        help: 'How late the event loop was in the last ten seconds.',
      }
      return [
        byLabel(lagFamily, 'quantile', lag),
        counter(
          'farmstead_event_loop_busy_seconds_total',
          'Time in which the event loop did not wait.',
          performance.eventLoopUtilization().active / 1000,
        ),
        counter(
          'process_cpu_seconds_total',
          'Processor time, of all threads.',
          (user + system) / 1e6,
        ),
        gauge('process_resident_memory_bytes', 'Memory.', process.memoryUsage.rss()),
        gauge('process_start_time_seconds', 'When it started.', startedAtMs / 1000),
      ]
    },
    close(): void {
      clearInterval(timer)
      delay.disable()
    },
  }
}

const counter = (name: string, help: string, value: number): Family => ({
  ...{ name, help, type: 'counter' },
  samples: [{ value }],
})
