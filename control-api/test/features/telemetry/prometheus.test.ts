// SPDX-License-Identifier: MIT
// The real Prometheus finds a real node, scrapes it, the control plane and the farm's sums, and comes to our quantiles.
import { expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.mjs'
import { MIN_INDEX, quantile } from '../../../src/histogram/histogram.ts'
import { HistogramSum } from '../../../src/histogram/sum.ts'
import { type Client, withToken } from '../../helper.ts'
import { startPrometheus } from '../../prometheus.ts'
import { PATIENT, realFarm } from '../rollouts/real-farm.ts'
import { panelQueries, variableQueries } from './dashboard.ts'

/** Grafana's heatmap of a classic histogram would be another expression. */
const NATIVE_ONLY = '11 How long requests took'
const QUANTILES = [0.5, 0.9, 0.99]
/** Half a bucket: ours is the middle of one, Prometheus’ is anywhere in the same. */
const LARGEST_RATIO = 2 ** (1 / 16) + 1e-9

/** All that was measured in the last quarter of an hour, as the API has it. */
async function measured(admin: Client, of: string) {
  const url = `/api/v1/metrics/heatmap?${new URLSearchParams({ of, stage: 'total' })}`
  type Step = { zeroCount: number; firstBucket: number; counts: number[] }
  const answer = await admin.inject({ url })
  expect(answer.statusCode, answer.body).toBe(200)
  const { steps } = answer.json<{ steps: (Step | null)[] }>()
  const sum = new HistogramSum()
  for (const step of steps) {
    if (!step) continue
    const offset = step.counts.length === 0 ? MIN_INDEX : step.firstBucket
    // Nothing was longer than what a quantile says: it reads the buckets alone.
    sum.add({ ...step, offset, count: 0, sumSeconds: 0, maxSeconds: Number.MAX_VALUE })
  }
  return sum.toHistogram()
}

test('Prometheus finds a node by the control plane, draws our dashboard, and reads our quantiles from all', async () => {
  const [port, adminPort] = [await freePort(), await freePort()]
  const farm = await realFarm(1, { ports: [port], adminPorts: [adminPort] })
  const { admin } = farm
  const base = await farm.app.listen({ host: '127.0.0.1', port: 0 })
  const { secret } = await withToken(farm, admin, {
    permissions: ['nodes:read', 'system:metrics'],
  })
  // Without the type, 2.42 asks its discoveries with the bare secret.
  const authorization = { type: 'Bearer', credentials: secret }
  const own = { authorization, static_configs: [{ targets: [new URL(base).host] }] }
  const jobs = [
    {
      job_name: 'nodes',
      http_sd_configs: [{ url: `${base}/api/v1/prometheus/targets?loopback=true`, authorization }],
      relabel_configs: [
        { source_labels: ['__meta_farmstead_node_name'], target_label: 'instance' },
      ],
    },
    { job_name: 'control-plane', ...own },
    { job_name: 'farm', metrics_path: '/metrics/farm', ...own },
  ]
  const prometheus = await startPrometheus(jobs)
  const classic = await startPrometheus(jobs, { isNative: false })
  // What a node did before its group was known counts in the farm alone.
  await farm.tellMemberships()
  let visits = 0
  const visit = async (path: string) => {
    visits += 1
    await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  }
  const visitOften = async () => {
    for (let i = 0; i < 60; i++) await visit(i % 10 === 0 ? '/nothing' : '/')
  }
  await visitOften()

  // While there is something to see: each expression of each panel has something to draw, from native histograms and, where it
  // can, from classic ones, as each Prometheus has one kind only.
  const asked = panelQueries({ __rate_interval: '10s', job: '.+', group: '.*' })
  const drawn = [
    ...asked.map((query) => ({ ...query, from: prometheus, kind: 'native' })),
    ...asked
      .filter(({ panel }) => panel !== NATIVE_ONLY)
      .map((query) => ({ ...query, from: classic, kind: 'classic' })),
  ]
  const empty = async () => {
    await visitOften()
    const found = await Promise.all(drawn.map(({ from, expression }) => from.query(expression)))
    return drawn
      .filter((_, i) => found[i]?.length === 0)
      .map(({ kind, panel, expression }) => `${kind}, ${panel}: ${expression}`)
  }
  await expect.poll(empty, { ...PATIENT, interval: 500 }).toEqual([])
  const histograms = asked.filter(({ expression }) => /histogram_/.test(expression))
  expect(histograms.filter(({ alternatives }) => alternatives < 2)).toEqual([])
  for (const { series, label } of variableQueries()) {
    const choices = await prometheus.query(`group by (${label}) (${series})`)
    expect(choices.map(({ metric }) => metric[label] !== undefined)).toEqual([true])
  }

  const one = async (expression: string) => (await prometheus.query(expression))[0]?.value ?? -1
  const requests = ['farmstead_farm_requests_total', 'sum(farmstead_requests_total)']
  await expect
    .poll(
      async () => {
        const [all, nodes] = await Promise.all(requests.map(one))
        const { count } = await measured(admin, 'nodes:')
        // Not only the same as each other: so they are, too, before the last ones are counted anywhere.
        return all === visits && nodes === visits && count === visits
      },
      { ...PATIENT, interval: 500 },
    )
    .toBe(true)
  expect(await prometheus.query('up == 1')).toHaveLength(3)
  expect((await prometheus.query('up{instance="edge-0"}'))[0]?.metric.job).toBe('nodes')

  const ours = await measured(admin, 'nodes:')
  for (const q of QUANTILES) {
    const expected = quantile(ours, q) ?? Number.NaN
    for (const of of [
      'farmstead_farm_stage_seconds{stage="total"}',
      'farmstead_group_stage_seconds{stage="total",group="default"}',
      'sum(farmstead_stage_seconds{stage="total"})',
    ]) {
      const got = (await one(`histogram_quantile(${q}, ${of})`)) ?? Number.NaN
      const ratio = Math.max(got / expected, expected / got)
      expect(ratio, `${of} at ${q}: ${got}, ours ${expected}`).toBeLessThanOrEqual(LARGEST_RATIO)
    }
  }
  // Its own histograms are native, too: they have no bucket series for who reads them as such.
  expect(await one('histogram_count(farmstead_http_request_seconds{listener="agents"})')).not.toBe(
    null,
  )
})
