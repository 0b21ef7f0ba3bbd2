// SPDX-License-Identifier: MIT
// Fills a service through its API, with several of each thing: those that are deleted are missed by nobody.
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS, make, makeChain } from '../test/certificates/make.ts'
import { SimulatedNode } from '../test/simulated-node.ts'

export const PASSWORD = 'correct horse battery staple'
const TEXT =
  '{ "listen": [{ "address": "127.0.0.1", "port": 8080 }], "sites": [{ "hosts": ["*"], "root": "/" }] }'
const OF_EACH = 4
/** Much is asked of nodes that only one which is not decommissioned answers well, and some are, early. */
const NODES = 12

type Api = <T = { id: string }>(method: string, path: string, body?: object) => Promise<T>
/** By what it is a list of: names, ids or numbers. */
export type Known = Record<string, (string | number)[]>

export const caller =
  (url: string, headers: Record<string, string>): Api =>
  async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return (await response.json()) as T
  }

export async function seed(api: Api, agentUrl: string, lookAtAlerts: () => Promise<void>) {
  const nodes = await several((i) => joinNode(api, agentUrl, `edge-${i}`), NODES)
  const madeBy = (path: string, bodyOf: (i: number) => object) =>
    several(async (i) => (await api('POST', path, bodyOf(i))).id)
  await saveVersions(api)
  const groups = await several(async (i) => {
    const group = { name: `group-${i}`, selector: `zone=z${i}` }
    return (await api<{ name: string }>('POST', '/groups', group)).name
  })
  const certificates = await several(async (i) => {
    const { chain, key } = await makeChain([`shop-${i}.example`])
    const certificate = { name: `shop-${i}`, chain, key }
    return (await api<{ name: string }>('POST', '/certificates', certificate)).name
  })
  // Nobody listens there.
  const away = '192.0.2.1:9'
  const authorities = await several(async (i) => {
    const authority = {
      ...{ name: `ca-${i}`, directoryUrl: `https://${away}/directory`, termsOfServiceAgreed: true },
    }
    return (await api<{ name: string }>('POST', '/certificate-authorities', authority)).name
  })
  const dnsWebhooks = await several(async (i) => {
    const webhook = { name: `dns-${i}`, url: `http://${away}/dns` }
    return (await api<{ name: string }>('POST', '/dns-webhooks', webhook)).name
  })
  const managed = await several(async (i) => {
    const wish = {
      // A certificate that is managed is not deleted: some are not.
      name: i % 2 === 0 ? `shop-${i}` : `order-${i}`,
      names: [`shop-${i}.example`],
      authorities: [{ name: 'ca-1' }],
    }
    return (await api<{ name: string }>('POST', '/managed-certificates', wish)).name
  })
  const alerts = await makeAlerts(api, lookAtAlerts)
  const order = { config: 'default', version: 1, strategy: { atOnce: true } }
  const plan = await api<{ planDigest: string }>('POST', '/rollouts?dryRun=1', order)
  const rollout = await api('POST', '/rollouts', order)
  const known: Known = {
    nodes: nodes.map(({ id }) => id),
    groups: [...groups, 'default'],
    configs: ['default'],
    hosts: ['*'],
    certificates,
    authorities,
    dnsWebhooks,
    managed,
    versions: [1, 2, 3],
    rollouts: [rollout.id],
    plans: [plan.planDigest],
    users: await madeBy('/users', (i) => ({ username: `user-${i}`, roles: ['viewer'] })),
    tokens: await madeBy('/tokens', (i) => ({
      name: `t-${i}`,
      permissions: ['nodes:read'],
      expiresInDays: 1,
      password: PASSWORD,
    })),
    enrolmentTokens: await madeBy('/enrolment-tokens', () => ({})),
    webhooks: await madeBy('/webhooks', () => ({ url: `http://${away}/hook` })),
    alerts,
    alertRules: await madeBy('/alert-rules', (i) => ({
      name: `Rule ${i}`,
      condition: { kind: 'node-silent' },
    })),
    silences: await madeBy('/alert-silences', () => ({
      ...{ selector: 'zone=z1', reason: 'new disks', until: '2100-01-01T00:00:00.000Z' },
    })),
    backups: [await makeBackup(api)],
    entries: [1, 2, 3],
    usernames: ['admin'],
    passwords: [PASSWORD],
  }
  const disconnect = async () => {
    for (const node of nodes) await node.disconnect()
  }
  return { known, disconnect }
}

async function several<T>(make: (i: number) => Promise<T>, count = OF_EACH): Promise<T[]> {
  const made: T[] = []
  for (let i = 1; i <= count; i++) made.push(await make(i))
  return made
}

async function joinNode(api: Api, agentUrl: string, name: string) {
  const { secret } = await api<{ secret: string }>('POST', '/enrolment-tokens', {})
  const node = await SimulatedNode.join(agentUrl, secret, name)
  node.capabilities = ['confirm', 'samples', 'requestSearch']
  await node.connect()
  return node
}

/** Of certificates that end in five days. */
async function makeAlerts(api: Api, lookAtAlerts: () => Promise<void>): Promise<string[]> {
  await several(async (i) => {
    const nowMs = Date.now()
    const life = { fromMs: nowMs - 80 * DAY_MS, toMs: nowMs + 5 * DAY_MS }
    const { pem: chain, key } = await make({ names: [`ending-${i}.example`], ...life })
    await api('POST', '/certificates', { name: `ending-${i}`, chain, key })
    return i
  })
  await lookAtAlerts()
  const { items } = await api<{ items: { id: string }[] }>('GET', '/alerts?state=firing')
  if (items.length === 0) throw new Error('no alert was found')
  return items.map(({ id }) => id)
}

async function saveVersions(api: Api): Promise<void> {
  for (const parent of [null, 1, 2]) {
    const text = TEXT.replace('8080', String(8080 + (parent ?? 0)))
    await api('POST', '/configs/default/versions', { text, parent, message: 'for the tests' })
  }
}

async function makeBackup(api: Api): Promise<string> {
  const { id } = await api('POST', '/backups')
  for (;;) {
    const { state } = await api<{ state: string }>('GET', `/backups/${id}`)
    if (state === 'done') return id
    if (state === 'failed') throw new Error('the backup failed')
    await sleep(50)
  }
}
