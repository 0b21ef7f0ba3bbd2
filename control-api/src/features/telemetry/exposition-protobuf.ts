// SPDX-License-Identifier: MIT
// Prometheus' protobuf format, the one with native histograms: io.prometheus.client.MetricFamily, each after its length. As the
// nodes write it (server-c/src/measure/metrics_protobuf.c). Pure.
//
// Our buckets are those of a native histogram of schema 3. Our bucket i is Prometheus' bucket i + 1, since Prometheus numbers
// buckets by their upper bounds. A histogram also has its classic buckets, for a Prometheus that does not know native ones.
import { type Histogram, SCALE } from '../../histogram/histogram.ts'
import {
  CLASSIC_EXPONENTS,
  cumulative,
  type Family,
  type Labels,
  ZERO_THRESHOLD_SECONDS,
} from './exposition.ts'
import { Message } from './protobuf.ts'

export const PROTOBUF =
  'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited'

/** Numbers of metrics.proto (github.com/prometheus/client_model). */
const TYPES = { counter: 0, gauge: 1, histogram: 4 } as const
const FAMILY = { name: 1, help: 2, type: 3, metric: 4 }
const METRIC = { label: 1, gauge: 2, counter: 3, histogram: 7 }
const LABEL = { name: 1, value: 2 }
const VALUE = 1
const HISTOGRAM = {
  count: 1,
  sum: 2,
  bucket: 3,
  schema: 5,
  zeroThreshold: 6,
  zeroCount: 7,
  positiveSpan: 12,
  positiveDelta: 13,
}
const BUCKET = { cumulativeCount: 1, upperBound: 2 }
const SPAN = { offset: 1, length: 2 }

export const exposeProtobuf = (families: readonly Family[]): Buffer =>
  Buffer.concat(
    families.filter(({ samples }) => samples.length > 0).map((family) => familyOf(family)),
  )

function familyOf(family: Family): Uint8Array {
  const message = new Message()
    .text(FAMILY.name, family.name)
    .text(FAMILY.help, family.help)
    .uint(FAMILY.type, TYPES[family.type])
  if (family.type === 'histogram') {
    for (const { labels, histogram } of family.samples) {
      const metric = labelled(labels).message(METRIC.histogram, histogramOf(histogram))
      message.message(FAMILY.metric, metric)
    }
  } else {
    for (const { labels, value } of family.samples) {
      const metric = labelled(labels).message(
        METRIC[family.type],
        new Message().double(VALUE, value),
      )
      message.message(FAMILY.metric, metric)
    }
  }
  return message.takeDelimited()
}

/** Of what is small and many: empty again when it was written into another. */
const part = new Message()

function labelled(labels: Labels = {}): Message {
  const metric = new Message()
  for (const [name, value] of Object.entries(labels)) {
    metric.message(METRIC.label, part.text(LABEL.name, name).text(LABEL.value, value))
  }
  return metric
}

function histogramOf(histogram: Histogram): Message {
  const message = new Message()
    .uint(HISTOGRAM.count, histogram.count)
    .double(HISTOGRAM.sum, histogram.sumSeconds)
  for (const [i, below] of cumulative(histogram).entries()) {
    const bound = 2 ** (CLASSIC_EXPONENTS[i] ?? 0)
    message.message(
      HISTOGRAM.bucket,
      part.uint(BUCKET.cumulativeCount, below).double(BUCKET.upperBound, bound),
    )
  }
  message
    .sint(HISTOGRAM.schema, SCALE)
    .double(HISTOGRAM.zeroThreshold, ZERO_THRESHOLD_SECONDS)
    .uint(HISTOGRAM.zeroCount, histogram.zeroCount)
  const { spans, deltas } = sparse(histogram)
  for (const { offset, length } of spans) {
    message.message(
      HISTOGRAM.positiveSpan,
      part.sint(SPAN.offset, offset).uint(SPAN.length, length),
    )
  }
  return deltas.length > 0 ? message.packedSints(HISTOGRAM.positiveDelta, deltas) : message
}

/**
 * The buckets that hold anything, in runs: of the first its place, of the others how far they are from the end of the one before;
 * and of each bucket what it has more than the bucket before it.
 */
function sparse({ offset: first, counts }: Histogram) {
  const spans: { offset: number; length: number }[] = []
  const deltas: number[] = []
  let [before, end] = [0, 0]
  for (const [k, count] of counts.entries()) {
    if (count === 0) continue
    const at = first + k + 1
    const last = spans.at(-1)
    if (last && at === end) last.length++
    else spans.push({ offset: last ? at - end : at, length: 1 })
    end = at + 1
    deltas.push(count - before)
    before = count
  }
  return { spans, deltas }
}
