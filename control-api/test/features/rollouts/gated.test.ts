// SPDX-License-Identifier: MIT
// Rollouts whose waves are held against what nodes report.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { QUICK } from '../../helper.ts'
import { histogramOf } from '../../histogram-of.ts'
import type { SimulatedNode } from '../../simulated-node.ts'
import { BY_WAVES, type Farm, get, order, servingFarm, text } from './farm.ts'

/** Windows as nodes measure them: so many answers of that time each. */
async function serve(
  node: SimulatedNode | undefined,
  { seconds, errors = 0, windows = 4 }: { seconds: number; errors?: number; windows?: number },
): Promise<void> {
  if (!node) throw new Error('there is no such node')
  const generation = node.effective?.generation ?? 0
  for (let i = 0; i < windows; i++) {
    const histogram = { ...histogramOf(Array<number>(100).fill(seconds)), scale: 3 as const }
    const counters = { requests: 100, responses5xx: errors }
    await node.report([{ generation, counters, stages: { firstByte: histogram } }])
  }
}

describe('a rollout with gates', () => {
  const gated = {
    ...BY_WAVES,
    soakSeconds: 1,
    gates: [{ metric: 'firstByteP99', max: 1.5, onFail: 'revert' }],
    minSamples: 100,
  }
  const soaks = async (service: Farm, strategy: object): Promise<string> => {
    const { id } = (await order(service.admin, { version: 2, strategy })).json()
    await expect.poll(async () => (await get(service, id)).phase, LONG).toBe('soaking')
    return id
  }
  /** Nodes report, and the service looks at it every few seconds. */
  const LONG = { timeout: 30_000 }
  const TWO_LOOKS_MS = 2 * (QUICK.reportEveryMs + QUICK.tickMs)

  it('goes back when the wave’s nodes are slower than the others, and keeps what shows it', async () => {
    const service = await servingFarm()
    const [canary, ...others] = service.nodes
    const id = await soaks(service, gated)
    const { headline, timers } = await get(service, id)
    expect(headline).toMatch(/^Wave 1 of \d: its nodes are healthy.*; .*by itself when.*\.$/)
    expect(timers.map(({ kind }: { kind: string }) => kind)).toContainEqual(
      expect.stringMatching(/^(soak|evidence)$/),
    )
    await expect
      .poll(async () => {
        // Last the one that is judged: by then both of the others can be compared with.
        for (const node of others) await serve(node, { seconds: 0.01 })
        await serve(canary, { seconds: 0.5 })
        return (await get(service, id)).state
      }, LONG)
      .toBe('reverted')
    const { reason, evidence, distributions, tasks } = await get(service, id)
    expect(distributions).toMatchObject([{ stage: 'firstByte' }])
    const [{ canary: ours = [], control: theirs = [] } = {}] = distributions
    // Half a second against ten milliseconds: no column has any of both.
    expect(ours.some((count, i) => count > 0 && (theirs[i] ?? 0) > 0)).toBe(false)
    expect(ours.at(-1)).toBeGreaterThan(0)
    // What is marked beside it is what the gate itself read.
    const judged = evidence?.gates[0]
    const read = { canary: judged?.canary.value, control: judged?.control.value }
    expect(distributions[0]?.quantiles).toContainEqual({ q: 0.99, ...read })
    const listed = (await service.admin.inject({ url: '/api/v1/rollouts' })).json()
    expect(listed.items[0].evidence).not.toHaveProperty('distributions')
    expect(reason).toMatch(/first byte p99 is \d+(\.\d+)? times the others’/)
    expect(evidence).toMatchObject({ wave: 0, verdict: 'fail', gates: [{ canary: { nodes: 1 } }] })
    expect(tasks.map((task) => task.state)).toEqual(['reverted', 'skipped', 'skipped'])
    expect(others.map((node) => node.ran)).toEqual([[text(8080)], [text(8080)]])
    const rows = await service.services.db
      .selectFrom('events')
      .select('data')
      .where('object_id', '=', id)
      .where('action', '=', 'evidence')
      .execute()
    const kept = rows.map(({ data }) => JSON.parse(data)).find((data) => data.verdict === 'fail')
    expect(kept.gates[0]).toMatchObject({ metric: 'firstByteP99', control: { nodes: 2 } })
    expect(kept.gates[0].low).toBeGreaterThan(1.5)
  }, 60_000)

  it('waits without evidence, and pauses when none comes', async () => {
    const service = await servingFarm()
    const id = await soaks(service, { ...gated, maxSoakSeconds: 2 })
    await expect.poll(async () => (await get(service, id)).state, LONG).toBe('paused')
    const paused = await get(service, id)
    expect(paused.reason).toMatch(/requests that are needed|no evidence/)
    expect(service.nodes[1]?.ran).toEqual([text(8080)])
  }, 60_000)

  it('paused by a gate keeps what it paused for, though it is quiet since', async () => {
    const service = await servingFarm()
    const id = await soaks(service, { ...gated, maxSoakSeconds: 2 })
    await expect.poll(async () => (await get(service, id)).state, LONG).toBe('paused')
    const { evidence } = await get(service, id)
    await sleep(TWO_LOOKS_MS)
    expect((await get(service, id)).evidence).toEqual(evidence)
  }, 60_000)

  it('has nodes that can fetch the probes, as many on each side, and once until that is reported', async () => {
    const service = await servingFarm()
    const probes = [{ path: '/' }, { host: 'www.example.org', path: '/?a' }]
    for (const node of service.nodes.slice(0, 2)) {
      node.capabilities = ['confirm', 'probes']
      await node.hello()
    }
    const id = await soaks(service, { ...gated, probes, soakSeconds: 3_600 })
    const asked = () => service.nodes.map((node) => node.probes.length)
    await expect.poll(asked, LONG).toEqual([1, 1, 0])
    const [canary, control] = service.nodes.map((node) => node.probes[0])
    expect(canary).toMatchObject({ count: 100, perSecond: 50, paths: probes })
    expect(control).toMatchObject({ count: 100, perSecond: 50, paths: probes })
    const { evidence } = await get(service, id)
    await expect
      .poll(async () => (await get(service, id)).evidence?.at, LONG)
      .not.toBe(evidence?.at)
    expect(asked()).toEqual([1, 1, 0])
  }, 60_000)

  it('takes a node that answers 5xx for ill at once', async () => {
    const service = await servingFarm()
    const gates = [{ metric: 'errors5xx', max: 0.01, onFail: 'revert' }]
    const id = await soaks(service, { ...gated, gates, onFailure: 'revert', soakSeconds: 3_600 })
    await serve(service.nodes[0], { seconds: 0.01, errors: 30, windows: 1 })
    await expect.poll(async () => (await get(service, id)).state, LONG).toBe('reverted')
    expect((await get(service, id)).reason).toContain('30 of 100 answers of edge-1 are 5xx')
  }, 60_000)
})
