// SPDX-License-Identifier: MIT
// From nodes' reports over the agent listener to what is advised, of one and of a farm.
import { describe, expect, it } from 'vitest'
import type { Client } from '../../helper.ts'
import { histogramOf } from '../../histogram-of.ts'
import { personWith } from '../../person.ts'
import { farm } from '../metrics/farm.ts'
import { times } from './units.ts'

const staged = (stages: Record<string, number[]>) =>
  Object.fromEntries(
    Object.entries(stages).map(([name, seconds]) => [
      name,
      { ...histogramOf(seconds), scale: 3 as const },
    ]),
  )
/** Sent at 50 kB a second, held up by the clients. */
const SLOW_CLIENTS = [
  {
    generation: 1,
    counters: { requests: 20, bytesSent: 2_000_000 },
    stages: staged({ total: times(20, 2), write: times(20, 2), writeClient: times(20, 1.8) }),
  },
]
const WELL = [
  {
    generation: 1,
    counters: { requests: 200, bytesSent: 2_000_000 },
    stages: staged({ total: times(200, 0.001), write: times(200, 0.0005) }),
  },
]

async function measured() {
  const service = await farm({ 'edge-1': { zone: 'eu' }, 'edge-2': { zone: 'us' } })
  const { nodes, clock } = service
  for (let step = 0; step < 4; step++) {
    await nodes[0]?.report(SLOW_CLIENTS, 10_000)
    await nodes[1]?.report(WELL, 10_000)
    clock.nowMs += 10_000
  }
  return { ...service, ids: nodes.map(({ id }) => id) }
}

describe('advice', () => {
  it('is given of a node, with why other rules are quiet, and of the farm', async () => {
    const { admin, ids } = await measured()
    const answer = await admin.inject({ url: `/api/v1/nodes/${ids[0]}/advice` })
    expect(answer.statusCode, answer.body).toBe(200)
    const { advice, quiet, nodeName } = answer.json()
    expect(nodeName).toBe('edge-1')
    expect(advice).toMatchObject([{ rule: 'slowClients', change: null }])
    expect(quiet.map(({ rule }: { rule: string }) => rule)).toEqual([
      ...['readThreads', 'statCache', 'slowNetwork', 'handshakes'],
    ])
    const well = await admin.inject({ url: `/api/v1/nodes/${ids[1]}/advice` })
    expect(well.json().advice).toEqual([])

    const all = await admin.inject({ url: '/api/v1/advice' })
    expect(all.json()).toMatchObject({
      ...{ title: 'The whole farm', nodes: 2, lookedAt: 2 },
      items: [{ nodeId: ids[0], nodeName: 'edge-1', advice: [{ rule: 'slowClients' }] }],
    })
    const us = await admin.inject({ url: '/api/v1/advice?of=nodes:zone%3Dus' })
    expect(us.json()).toMatchObject({ nodes: 1, items: [] })
  })

  it('stays for some minutes after it was so, with why it is not any more', async () => {
    const service = await measured()
    const [id = ''] = service.ids
    const url = `/api/v1/nodes/${id}/advice`
    const ask = async () => (await service.admin.inject({ url })).json()
    const { advice } = await ask()
    const lastSoAt = new Date(service.clock.nowMs).toISOString()
    expect(advice).toMatchObject([{ rule: 'slowClients', lastSoAt: null }])
    // One in a hundred is not slow any more.
    const many = times(3000, 0.001)
    const well = [
      {
        generation: 1,
        counters: { requests: 3000, bytesSent: 2_000_000 },
        stages: staged({ total: many, write: many }),
      },
    ]
    for (let step = 0; step < 4; step++) {
      await service.nodes[0]?.report(well, 10_000)
      service.clock.nowMs += 10_000
    }
    const later = await ask()
    expect(later.advice).toMatchObject([{ rule: 'slowClients', lastSoAt }])
    expect(later.quiet.find(({ rule }: { rule: string }) => rule === 'slowClients').why).toMatch(
      /99 of 100 responses are sent within 1/,
    )
    const all = await service.admin.inject({ url: '/api/v1/advice' })
    expect(all.json().items).toMatchObject([{ nodeId: id, advice: later.advice }])
    service.clock.nowMs += 300_000
    expect((await ask()).advice).toEqual([])
  })

  it('is tried by who may save configs and order rollouts for the whole farm, when there is something to try', async () => {
    const service = await measured()
    const url = `/api/v1/nodes/${service.ids[0]}/advice/slowClients/try`
    const tryAs = async (client: Client) => {
      const answer = await client.inject({ method: 'POST', url })
      return [answer.statusCode, answer.json().code]
    }
    const { as, admin } = service
    expect(await tryAs(await as('editor'))).toEqual([403, 'not_allowed'])
    expect(await tryAs(await as('operator'))).toEqual([403, 'not_allowed'])
    const scoped = await personWith(service, ['operator', 'editor'], 'zone=eu')
    expect(await tryAs(scoped)).toEqual([403, 'whole_farm_required'])
    expect(await tryAs(admin)).toEqual([409, 'nothing_to_try'])
  })

  it('is given of nobody outside of a scope', async () => {
    const service = await measured()
    const scoped = await personWith(service, ['viewer'], 'zone=us')
    const own = await scoped.inject({ url: '/api/v1/advice' })
    expect(own.json()).toMatchObject({ nodes: 1, items: [] })
    const other = await scoped.inject({ url: `/api/v1/nodes/${service.ids[0]}/advice` })
    expect(other.statusCode).toBe(404)
  })
})
