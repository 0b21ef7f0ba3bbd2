// SPDX-License-Identifier: MIT
// The service in this process and real nodes beside it, each with a port of its own; all ends with the test.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.mjs'
import { openPolicy } from '../../../../scripts/testing/node-policy.mjs'
import { type Built, build, nodeBinary, QUICK, tempDir } from '../../helper.ts'
import { get as getWithTasks, type WithTasks } from './farm.ts'

const execute = promisify(execFile)
/** For what never comes on a busy machine. */
export const PATIENT = { timeout: 180_000, interval: 50 }

export type RealFarm = Built & {
  /** A folder with that page, for a version to serve. */
  rootWith(page: string | null): string
  save(root: string): Promise<number>
  order(version: number, strategy?: object): Promise<WithTasks>
  get(id: string): Promise<WithTasks>
  ends(id: string, state: string): Promise<WithTasks>
}

type Options = Pick<NonNullable<Parameters<typeof build>[0]>, 'config'> & {
  /** Of the first nodes; others have any. */
  ports?: readonly number[]
  /** Of the first nodes' admin listeners; others have none. */
  adminPorts?: readonly number[]
}

/** Its nodes serve the first version, which has a page at /. */
export async function realFarm(
  nodeCount: number,
  { ports = [], adminPorts = [], ...options }: Options = {},
): Promise<RealFarm> {
  const service = await build({ rhythm: QUICK, ...options })
  const url = await service.agents.listen({ host: '127.0.0.1', port: 0 })
  const { admin } = service
  const post = async (path: string, payload: object) => {
    const answer = await admin.inject({ method: 'POST', url: `/api/v1/${path}`, payload })
    if (answer.statusCode !== 201) throw new Error(answer.body)
    return answer.json()
  }
  const get = (id: string) => getWithTasks(service, id)
  const farm: RealFarm = {
    ...service,
    get,
    rootWith(page) {
      const root = tempDir()
      if (page !== null) writeFileSync(join(root, 'index.html'), page)
      return root
    },
    async save(root) {
      const latest = (await admin.inject({ url: '/api/v1/configs/default/versions' })).json()
      const text = JSON.stringify({ workers: 1, sites: [{ hosts: ['*'], root }] })
      const parent = latest.items?.[0]?.number ?? null
      const made = await post('configs/default/versions', { text, parent, message: 'test' })
      return made.number
    },
    order: (version, strategy = { atOnce: true }) =>
      post('rollouts', { config: 'default', version, strategy }),
    async ends(id, state) {
      await expect.poll(async () => (await get(id)).state, PATIENT).toBe(state)
      return get(id)
    },
  }
  const first = await farm.save(farm.rootWith('one'))
  for (let i = 0; i < nodeCount; i++) {
    const adminPort = adminPorts[i]
    await startNode(farm, url, {
      ...{ name: `edge-${i}`, port: ports[i] ?? (await freePort()) },
      ...(adminPort && { override: { admin: { address: '127.0.0.1', port: adminPort } } }),
    })
  }
  await expect.poll(() => service.fleet.connectedIds().length, PATIENT).toBe(nodeCount)
  await farm.ends((await farm.order(first)).id, 'succeeded')
  return farm
}

type NodeOptions = {
  name: string
  port: number
  /** Of its config, beside where it listens. */
  override?: object
  env?: Record<string, string>
}

/** Ends with the test. */
export async function startNode(
  { admin }: Pick<Built, 'admin'>,
  url: string,
  { name, port, override = {}, env = {} }: NodeOptions,
): Promise<void> {
  const listen = [{ address: '127.0.0.1', port }]
  const payload = { mergePatch: { listen, ...override } }
  const token = await admin.inject({ method: 'POST', url: '/api/v1/enrolment-tokens', payload })
  const state = join(tempDir(), 'state')
  mkdirSync(state, { mode: 0o700 })
  const policy = openPolicy(tempDir())
  const words = ['--insecure-http', '--token', token.json().secret, '--state', state, ...policy]
  await execute(nodeBinary, ['join', url, ...words, '--name', name])
  const child = spawn(nodeBinary, ['run', '--state', state, ...policy], {
    ...{ stdio: 'ignore', env: { ...process.env, ...env } },
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
}

/** Waves that are soon over, whose evidence is what nodes fetch from themselves. */
export const quick = {
  waves: [{ nodes: 1 }, { percent: 100 }],
  minHealthySeconds: 1,
  soakSeconds: 1,
  maxSoakSeconds: 300,
  gates: [{ metric: 'errors404', max: 0.01, onFail: 'revert' }],
  minSamples: 60,
}
export const probes = [{ path: '/' }, { host: 'www.example.org', path: '/index.html?from=probe' }]
