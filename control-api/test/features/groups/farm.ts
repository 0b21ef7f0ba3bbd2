// SPDX-License-Identifier: MIT
// A control plane with nodes that speak the agent protocol, and the short words to drive it.
import { expect, onTestFinished, vi } from 'vitest'
import { type Built, build, type Client } from '../../helper.ts'
import { SimulatedNode } from '../../simulated-node.ts'

// Each test starts a control plane, checks texts in processes and rolls out: on a busy machine that takes long.
vi.setConfig({ testTimeout: 60_000 })

export const text = (root = '/srv/www') => `{
  "listen": [{ "address": "127.0.0.1", "port": 8080 }], // the port
  "sites": [{ "hosts": ["*"], "root": "${root}" }]
}
`
export type Farm = Built & { url: string }

export async function farm(): Promise<Farm> {
  const service = await build()
  const url = await service.agents.listen({ host: '127.0.0.1', port: 0 })
  return { ...service, url }
}

export async function addNode(
  { admin, url }: Farm,
  name: string,
  payload: { labels?: Record<string, string>; mergePatch?: object } = {},
): Promise<SimulatedNode> {
  const token = await send(admin, 'POST', '/enrolment-tokens', payload)
  const node = await SimulatedNode.join(url, token.json().secret, name)
  onTestFinished(() => node.disconnect())
  return node
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export async function send(
  client: Client,
  method: Method,
  path: string,
  payload?: object,
  etag?: string,
) {
  return await client.inject({
    method,
    url: `/api/v1${path}`,
    ...(payload && { payload }),
    headers: etag === undefined ? {} : { 'if-match': etag },
  })
}
export async function ok(
  client: Client,
  method: Method,
  path: string,
  payload?: object,
  etag?: string,
) {
  const response = await send(client, method, path, payload, etag)
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.body}`)
  return response
}
export const etagOf = async (client: Client, path: string) =>
  String((await ok(client, 'GET', path)).headers.etag)
export const group = (client: Client, name: string, rest: object) =>
  ok(client, 'POST', '/groups', { name, ...rest })
export const saveVersion = async (
  client: Client,
  config: string,
  versionText = text(),
  parent = 0,
) =>
  ok(client, 'POST', `/configs/${config}/versions`, {
    text: versionText,
    parent: parent || null,
    message: 'test',
  })
export const push = (client: Client, config: string, version: number, rest: object = {}) =>
  send(client, 'POST', '/rollouts', { config, version, strategy: { atOnce: true }, ...rest })
export async function pushed(client: Client, config: string, version: number, rest: object = {}) {
  const { id } = (
    await ok(client, 'POST', '/rollouts', { config, version, strategy: { atOnce: true }, ...rest })
  ).json()
  await expect
    .poll(async () => (await ok(client, 'GET', `/rollouts/${id}`)).json().state, {
      timeout: 10_000,
    })
    .toBe('succeeded')
}
export const groupOf = async (client: Client, { id }: SimulatedNode) =>
  (await ok(client, 'GET', `/nodes/${id}`)).json().group
