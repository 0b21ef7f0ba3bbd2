// SPDX-License-Identifier: MIT
// What is shown to Prometheus as OpenTelemetry has it: an ExportMetricsServiceRequest in OTLP's JSON, where whole numbers of 64
// bits are strings. Histograms are exponential ones of scale 3: our bucket i is theirs, bounds and all. Pure.
import { type Histogram, SCALE } from '../../histogram/histogram.ts'
import { type Family, type Labels, ZERO_THRESHOLD_SECONDS } from './exposition.ts'

type Facts = {
  /** Since when counters count. */
  startedAtMs: number
  nowMs: number
  version: string
  /** Of this control plane, whichever process serves it. */
  instance: string
}
const CUMULATIVE = 2

export function otlpBody(families: readonly Family[], facts: Facts) {
  const resource = {
    'service.name': 'farmstead-control-plane',
    'service.version': facts.version,
    'service.instance.id': facts.instance,
  }
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributes(resource) },
        scopeMetrics: [
          {
            scope: { name: 'farmstead', version: facts.version },
            metrics: families
              .filter(({ samples }) => samples.length > 0)
              .map((family) => metricOf(family, facts)),
          },
        ],
      },
    ],
  }
}

function metricOf(family: Family, { startedAtMs, nowMs }: Facts) {
  const about = { name: family.name, description: family.help }
  const time = { timeUnixNano: nanos(nowMs) }
  const since = { startTimeUnixNano: nanos(startedAtMs), ...time }
  if (family.type === 'histogram') {
    const dataPoints = family.samples.map(({ labels, histogram }) => ({
      ...{ attributes: attributes(labels), ...since },
      ...pointOf(histogram),
    }))
    const exponentialHistogram = { aggregationTemporality: CUMULATIVE, dataPoints }
    return { ...about, unit: 's', exponentialHistogram }
  }
  // JSON has no word for what is no number.
  const known = family.samples.filter(({ value }) => Number.isFinite(value))
  const points = (times: object) =>
    known.map(({ labels, value }) => ({
      ...{ attributes: attributes(labels), ...times, asDouble: value },
    }))
  if (family.type === 'gauge') return { ...about, gauge: { dataPoints: points(time) } }
  const sum = { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: points(since) }
  return { ...about, sum }
}

const pointOf = ({ count, sumSeconds, maxSeconds, zeroCount, offset, counts }: Histogram) => ({
  count: String(count),
  sum: sumSeconds,
  scale: SCALE,
  zeroCount: String(zeroCount),
  zeroThreshold: ZERO_THRESHOLD_SECONDS,
  positive: { offset, bucketCounts: counts.map(String) },
  ...(count > 0 && { max: maxSeconds }),
})

const attributes = (labels: Labels = {}) =>
  Object.entries(labels).map(([key, stringValue]) => ({ key, value: { stringValue } }))

/** Digits are put behind it: as a number it would lose some. */
const nanos = (ms: number) => `${Math.floor(ms)}000000`
