// SPDX-License-Identifier: MIT
// The process: memory, processor, and how late its one event loop is.
import {
  constants,
  monitorEventLoopDelay,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { HistogramSum } from '../../histogram/sum.ts'
import { byLabel, counter, type Family, gauge } from './exposition.ts'

/** The lag told is that of the last whole stretch, whoever asks and how often. */
const STRETCH_MS = 10_000
const RESOLUTION_MS = 20
const QUANTILES = ['0.5', '0.99', '1'] as const

/** Of garbage collection, by what V8 calls it. Weak callbacks come with one of the others. */
const COLLECTIONS = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
])

type GcEntry = PerformanceEntry & { detail: NodeGCPerformanceDetail }

/** Of the thread that answers: for so long nothing else happens there. */
function watchCollections() {
  const pauses = new Map([...COLLECTIONS.values()].map((kind) => [kind, new HistogramSum()]))
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as GcEntry[]) {
      const kind = COLLECTIONS.get(detail.kind ?? 0)
      if (kind !== undefined) pauses.get(kind)?.count(duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    family: (): Family => ({
      name: 'farmstead_gc_pause_seconds',
      type: 'histogram',
      help: 'How long collecting garbage held up the thread that answers, by kind.',
      samples: [...pauses].map(([kind, sum]) => ({
        labels: { kind },
        histogram: sum.toHistogram(),
      })),
    }),
    close: () => observer.disconnect(),
  }
}

export function watchProcess(startedAtMs: number) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const collections = watchCollections()
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
        collections.family(),
        byLabel(
          { name: 'farmstead_heap_bytes', help: 'Memory of JavaScript’s objects.', type: 'gauge' },
          'kind',
          heap(),
        ),
        gauge('process_resident_memory_bytes', 'Memory.', process.memoryUsage.rss()),
        gauge('process_start_time_seconds', 'When it started.', startedAtMs / 1000),
      ]
    },
    close(): void {
      collections.close()
      clearInterval(timer)
      delay.disable()
    },
  }
}

function heap(): [string, number][] {
  const { used_heap_size, total_heap_size, heap_size_limit } = getHeapStatistics()
  return [
    ['used', used_heap_size],
    ['taken', total_heap_size],
    ['limit', heap_size_limit],
  ]
}
