// SPDX-License-Identifier: MIT
// A real node that reports to the service in this process, whose clock runs ahead: a window of a quarter of a second stands for
// a step of ten, so that what takes minutes otherwise is measured in seconds.
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { freePorts } from '../../../../scripts/testing/free-port.mjs'
import { preloadEnv } from '../../../../server-c/test/support/preload.mjs'
import type { Advice, Quiet, Rule, ShownAdvice } from '../../../src/features/advice/schema.ts'
import { makeChain } from '../../certificates/make.ts'
import { build, QUICK, tempDir } from '../../helper.ts'
import { PATIENT, startNode } from '../rollouts/real-farm.ts'

type Options = {
  files: Record<string, string | Buffer>
  /** Of its config, beside sites and where it listens. */
  config?: object
  env?: Record<string, string>
}
type Load = (isOver: () => boolean) => Promise<unknown>
type Given = { advice: Advice[]; quiet: Quiet[] }
/** Of each test: windows come as quickly as the machine lets them. */
export const LONG_MS = 180_000
const STEP_MS = 10_000
const MINUTE_MS = 60_000

export type RealNode = Awaited<ReturnType<typeof realNode>>

export async function realNode({ files, config = {}, env = {} }: Options) {
  let aheadMs = 0
  const service = await build({ rhythm: QUICK, now: () => Date.now() + aheadMs })
  const url = await service.agents.listen({ host: '127.0.0.1', port: 0 })
  const root = tempDir()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content)
  const [port = 0, tlsPort = 0] = await freePorts(2)
  const listen = [
    { address: '127.0.0.1', port },
    { address: '127.0.0.1', port: tlsPort, tls: true },
  ]
  const certificates = [await keepCertificate()]
  const sites = [{ hosts: ['*'], root, certificates }]
  const post = async (path: string, payload: object) => {
    const answer = await service.admin.inject({ method: 'POST', url: `/api/v1/${path}`, payload })
    if (answer.statusCode !== 201) throw new Error(answer.body)
    return answer.json()
  }
  const text = JSON.stringify({ workers: 1, listen, sites, ...config }, null, 2)
  await post('configs/default/versions', { text, parent: null, message: 'test' })
  await startNode(service, url, { name: 'edge-1', port, override: { listen }, env })
  await expect.poll(() => service.fleet.connectedIds(), PATIENT).toHaveLength(1)
  const [id = ''] = service.fleet.connectedIds()
  const rollout = { config: 'default', version: 1, strategy: { atOnce: true } }
  const { id: rolloutId } = await post('rollouts', rollout)
  const stateOf = async (which: string) =>
    (await service.admin.inject({ url: `/api/v1/rollouts/${which}` })).json().state
  await expect.poll(() => stateOf(rolloutId), PATIENT).toBe('succeeded')

  const ask = async (): Promise<Given> => {
    const answer = await service.admin.inject({ url: `/api/v1/nodes/${id}/advice` })
    expect(answer.statusCode, answer.body).toBe(200)
    const { advice, quiet } = answer.json()
    // What is shown for five minutes more (held.test.ts) is no answer to what is so under this load: that is thirty steps.
    return { advice: advice.filter((one: ShownAdvice) => one.lastSoAt === null), quiet }
  }
  /** What was measured before is too old by then to be advised from. */
  const beginAnew = () => {
    aheadMs += 20 * MINUTE_MS
  }
  const passStep = () => {
    aheadMs += STEP_MS
  }
  /** Under this load, once that is so of the rule; `then` is done under it, too. */
  const under = async <T>(
    load: Load,
    isSo: (given: Given) => boolean,
    then: (given: Given) => Promise<T>,
  ): Promise<T> => {
    beginAnew()
    let isOver = false
    const loading = load(() => isOver)
    try {
      // The next step may be judged otherwise: what was so is what goes on.
      let given: Given = { advice: [], quiet: [] }
      const found = async () => {
        passStep()
        given = await ask()
        return isSo(given)
      }
      await expect.poll(found, { ...PATIENT, interval: 300 }).toBe(true)
      return await then(given)
    } finally {
      isOver = true
      await loading
    }
  }
  return {
    ...{ service, id, port, tlsPort },
    /** Under this load, as soon as the rule speaks; `then` is done under it, too. */
    advisedUnder: (load: Load, rule: Rule, then = async () => {}) =>
      under(
        load,
        ({ advice }) => advice.some((one) => one.rule === rule),
        async ({ advice }) => {
          await then()
          return advice
        },
      ),
    /** Under this load, once there is enough for the rule to judge. */
    judgedUnder: (load: Load, rule: Rule) =>
      under(
        load,
        ({ quiet }) =>
          quiet.every((one) => one.rule !== rule || !one.why.includes('needed to judge')),
        async (given) => given,
      ),
  }
}

async function keepCertificate() {
  const folder = join(tempDir(), 'tls')
  mkdirSync(folder, { mode: 0o700 })
  const { chain, key } = await makeChain(['a.example'])
  const files = { chainFile: join(folder, 'chain.pem'), keyFile: join(folder, 'key.pem') }
  writeFileSync(files.chainFile, chain)
  writeFileSync(files.keyFile, key, { mode: 0o600 })
  return files
}

/** So many clients, one after the other's answer. */
export const clients =
  (count: number, one: (n: number) => Promise<unknown>): Load =>
  async (isOver) => {
    let next = 0
    const client = async () => {
      while (!isOver()) await one(next++)
    }
    await Promise.all(Array.from({ length: count }, client))
  }

/** An agent or a session that ends with the test. */
export function endsWithTest<T extends { destroy(): void }>(one: T): T {
  onTestFinished(() => one.destroy())
  return one
}

/** Of a pool that keeps its connections. */
export const kept = () => endsWithTest(new http.Agent({ keepAlive: true }))

export async function get(agent: http.Agent, { port }: { port: number }, path: string) {
  const module = agent instanceof https.Agent ? https : http
  const request = module.get({ host: '127.0.0.1', port, path, agent })
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  expect(answer.statusCode).toBe(200)
  for await (const _ of answer);
}

export const many = (count: number, name: (n: number) => string, content: string | Buffer) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), content]))

/** Reads and look-ups of files with such names take 100 ms: server-c/test/support/bad_disk.c. */
export const slowDisk = () => preloadEnv('bad_disk')
