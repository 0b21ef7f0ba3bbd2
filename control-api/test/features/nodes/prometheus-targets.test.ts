// SPDX-License-Identifier: MIT
// GET /prometheus/targets, from nodes that enrolled and were told what to run.
import { describe, expect, test } from 'vitest'
import { assign, enrolNode } from '../../agents/node-client.ts'
import { build } from '../../helper.ts'
import { personWith } from '../../person.ts'

const url = '/api/v1/prometheus/targets'
const digestOf = (n: number) => `sha256:${String(n).repeat(64)}`

/** Nodes in this order; the admin listener of each, null for none. */
async function farm(admins: (object | null)[], labels: Record<string, string>[] = []) {
  const service = await build()
  for (const [i, admin] of admins.entries()) {
    const { id, hello } = await enrolNode(service, { labels: labels[i] ?? {} })
    await hello()
    const text = JSON.stringify(admin ? { admin } : {})
    await assign(service, { nodeId: id, text, digest: digestOf(i + 1) })
  }
  return service
}

describe('GET /prometheus/targets', () => {
  test('has each node that shows its measurements, with what is known of it', async () => {
    const labels = { zone: 'eu', 'rack.no-1': '7"' }
    const { admin } = await farm([{ address: '0.0.0.0' }, null, { address: '' }], [labels])
    const answer = await admin.inject({ url })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json'])
    expect(answer.json()).toEqual([
      {
        targets: ['edge-1.example.org:8081'],
        labels: {
          __meta_farmstead_node_id: expect.stringMatching(/^node_/),
          __meta_farmstead_node_name: 'edge-1',
          __meta_farmstead_group: 'default',
          __meta_farmstead_hostname: 'edge-1.example.org',
          __meta_farmstead_address: expect.any(String),
          __meta_farmstead_state: expect.any(String),
          __meta_farmstead_config: '',
          __meta_farmstead_version: '',
          __meta_farmstead_label_zone: 'eu',
          __meta_farmstead_label_rack_no_1: '7"',
        },
      },
    ])
  })

  test('has loopback, and addresses in place of names, for who asks for them', async () => {
    const { admin, anonymous } = await farm([{ address: '127.0.0.1', port: 9 }, { address: '::' }])
    const targets = async (query: string) => {
      const all = (await admin.inject({ url: url + query })).json<{ targets: string[] }[]>()
      return all.flatMap((one) => one.targets)
    }
    expect(await targets('')).toEqual(['edge-1.example.org:8081'])
    expect(await targets('?host=address&loopback=true')).toEqual(['127.0.0.1:9', '127.0.0.1:8081'])
    expect((await admin.inject({ url: `${url}?loopback=maybe` })).statusCode).toBe(400)
    expect((await anonymous.inject({ url })).statusCode).toBe(401)
  })

  test('is of the nodes that who asks may see, and of those that are asked for', async () => {
    const everywhere = { address: '0.0.0.0' }
    const service = await farm([everywhere, everywhere], [{ zone: 'eu' }, { zone: 'us' }])
    const scoped = await personWith(service, ['viewer'], 'zone=eu')
    const zones = async (client: typeof scoped, query = '') =>
      (await client.inject({ url: url + query }))
        .json<{ labels: Record<string, string> }[]>()
        .map(({ labels }) => labels.__meta_farmstead_label_zone)
    expect(await zones(service.admin)).toEqual(['eu', 'us'])
    expect(await zones(service.admin, '?selector=zone%3Dus')).toEqual(['us'])
    expect(await zones(scoped)).toEqual(['eu'])
    expect(await zones(scoped, '?selector=zone%3Dus')).toEqual([])
  })
})
