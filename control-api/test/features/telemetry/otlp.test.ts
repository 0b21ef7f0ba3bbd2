// SPDX-License-Identifier: MIT
// Measurements sent by OTLP to a receiver on a socket of its own, which takes them, is away, or refuses.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Family } from '../../../src/features/telemetry/exposition.ts'
import { otlpBody } from '../../../src/features/telemetry/otlp-body.ts'
import { startOtlpExport } from '../../../src/features/telemetry/otlp-export.ts'
import { quantile } from '../../../src/histogram/histogram.ts'
import { build } from '../../helper.ts'
import { histogramOf } from '../../histogram-of.ts'

type Answer = { status: number; headers?: Record<string, string>; body?: string }
type Received = { headers: IncomingHttpHeaders; body: ReturnType<typeof otlpBody> }

async function receiver(answers: Answer[] = []) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(gunzipSync(await buffer(request)).toString())
    received.push({ headers: request.headers, body })
    const { status, headers = {}, body: text = '{}' } = answers.shift() ?? { status: 200 }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  return { received, server, url: `http://127.0.0.1:${port}/v1/metrics` }
}

const config = { headers: { Authorization: 'Bearer s3cret' }, everySeconds: 3600 }
/** One that sends how many were gathered before. */
function exporter(url: string) {
  const errors: string[] = []
  let gathered = 0
  const one = startOtlpExport({
    config: { ...config, url },
    gather: async () => ({ gathered: gathered++ }),
    onError: (error) => errors.push(String(error)),
    firstWaitMs: 10,
  })
  onTestFinished(() => one.stop())
  const numbers = () =>
    Object.fromEntries(
      one
        .families()
        .flatMap(({ name, type, samples }) =>
          type === 'histogram'
            ? []
            : samples.map(({ labels, value }) => [labels?.outcome ?? name, value] as const),
        ),
    )
  return { ...one, errors, numbers }
}

describe('what is sent by OTLP', () => {
  it('has each histogram bucket for bucket, from which our quantiles are read', () => {
    const histogram = histogramOf([1e-9, 0.001, 0.0011, 0.3, 700, 5000])
    const families: Family[] = [
      { name: 'h', type: 'histogram', help: 'H', samples: [{ labels: { a: 'b' }, histogram }] },
      { name: 'c', type: 'counter', help: 'C', samples: [{ value: 3 }] },
      { name: 'g', type: 'gauge', help: 'G', samples: [{ value: 0.5 }, { value: Number.NaN }] },
      { name: 'none', type: 'gauge', help: '', samples: [] },
    ]
    const facts = { startedAtMs: 1_800_000_000_000, nowMs: 1_800_000_060_000 }
    const body = otlpBody(families, { ...facts, version: '1', instance: 'cp_x' })
    const [h, c, g, ...others] = body.resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? []
    expect(others).toEqual([])
    const times = {
      startTimeUnixNano: '1800000000000000000',
      timeUnixNano: '1800000060000000000',
    }
    const point = { ...times, attributes: [], asDouble: 3 }
    expect(c).toEqual({
      ...{ name: 'c', description: 'C' },
      sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [point] },
    })
    // What is no number is left out.
    expect(g).toMatchObject({ gauge: { dataPoints: [{ asDouble: 0.5 }] } })
    if (!h || !('exponentialHistogram' in h)) throw new Error('there is no histogram')
    const [sent] = h.exponentialHistogram.dataPoints
    expect(sent).toMatchObject({
      ...{ ...times, scale: 3, count: '6', zeroCount: '1', zeroThreshold: 2 ** -21 },
      attributes: [{ key: 'a', value: { stringValue: 'b' } }],
    })
    // As OTLP has it: bucket i is (base^i, base^(i+1)] with base 2^(2^-scale).
    const { offset, bucketCounts } = sent?.positive ?? { offset: 0, bucketCounts: [] }
    const counted = (to: number) =>
      bucketCounts.slice(0, to + 1).reduce((sum, n) => sum + Number(n), Number(sent?.zeroCount))
    const at = bucketCounts.findIndex((_, i) => counted(i) >= 3)
    const base = 2 ** (2 ** -(sent?.scale ?? 0))
    const middle = base ** (offset + at + 0.5)
    expect(middle / (quantile(histogram, 0.5) ?? 0)).toBeCloseTo(1, 9)
  })

  it('waits while nobody is there, ever longer, and stops when it is told to', async () => {
    const { look, numbers, stop } = exporter('http://127.0.0.1:1/v1/metrics')
    await look()
    await expect.poll(() => numbers().farmstead_otlp_retries_total).toBeGreaterThan(1)
    await stop()
    expect(numbers()).toMatchObject({ sent: 0, dropped: 0, farmstead_otlp_exports_waiting: 1 })
  })

  it('waits while the collector is overloaded, and comes in order, with what lets us in', async () => {
    const busy = { status: 503 }
    const { url, received } = await receiver([
      busy,
      { status: 429, headers: { 'retry-after': '0' } },
    ])
    const { look, numbers, errors } = exporter(url)
    await look()
    await look()
    await expect.poll(() => numbers().sent).toBe(2)
    expect(received.map(({ body }) => body)).toEqual([0, 0, 0, 1].map((gathered) => ({ gathered })))
    expect(received[0]?.headers).toMatchObject({
      ...{ authorization: 'Bearer s3cret', 'content-type': 'application/json' },
    })
    expect(numbers()).toMatchObject({
      ...{ refused: 0, dropped: 0, farmstead_otlp_retries_total: 2 },
      farmstead_otlp_exports_waiting: 0,
    })
    expect(errors).toEqual([])
  })

  it('is refused for good, in whole or in part, and counted', async () => {
    const some = { status: 200, body: '{"partialSuccess":{"rejectedDataPoints":"3"}}' }
    const elsewhere = { status: 307, headers: { location: 'http://127.0.0.1:1/' } }
    const { url } = await receiver([{ status: 400 }, some, elsewhere])
    const { look, numbers, errors } = exporter(url)
    for (let i = 0; i < 4; i++) await look()
    await expect.poll(() => numbers().sent).toBe(1)
    expect(numbers().refused).toBe(3)
    expect(errors.join()).toMatch(/answered 400.*left out 3 data points.*answered 307/)
    expect(errors.join()).not.toContain('s3cret')
  })

  it('is no more than so much that waits: the oldest goes, and is counted', async () => {
    const { url, received, server } = await receiver(Array(1_000).fill({ status: 503 }))
    const { look, numbers } = exporter(url)
    for (let i = 0; i < 25; i++) await look()
    expect(numbers()).toMatchObject({ dropped: 5, farmstead_otlp_exports_waiting: 20 })
    await expect.poll(() => received.length).toBeGreaterThan(1)
    server.closeAllConnections()
  })
})

it('the service sends its own measurements and the farm’s, and tells how that goes', async () => {
  const { url, received } = await receiver()
  const { admin } = await build({ config: { otlp: { ...config, url, everySeconds: 1 } } })
  await expect.poll(() => received.length).toBeGreaterThan(0)
  const [{ resource, scopeMetrics } = { resource: null, scopeMetrics: [] }] =
    received[0]?.body.resourceMetrics ?? []
  expect(JSON.stringify(resource)).toContain('farmstead-control-plane')
  const names = scopeMetrics[0]?.metrics.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['farmstead_gc_pause_seconds', 'farmstead_database_bytes']),
  )
  const text = async () => (await admin.inject({ url: '/metrics' })).body
  await expect.poll(text).toMatch(/^farmstead_otlp_exports_total\{outcome="sent"\} [1-9]/m)
  expect(await text()).not.toContain('s3cret')
})
