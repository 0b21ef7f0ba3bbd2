// SPDX-License-Identifier: MIT
// Brings the Docker Compose farm up from nothing, checks that it works, and takes it away again.
// On request only (it needs a Docker engine): node e2e/compose-check.mjs
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Api, bodyOf } from './client/api.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const NODES = 3
const UP_WITHIN_MS = 180_000
const POLL_MS = 1000
/** Ports of its own, so that a farm of `npm start` may run meanwhile. */
const ports = {
  FARMSTEAD_PORT: '19700',
  FARMSTEAD_EDGE_1_PORT: '18101',
  FARMSTEAD_EDGE_2_PORT: '18102',
  FARMSTEAD_EDGE_3_PORT: '18103',
}
const consoleUrl = `http://127.0.0.1:${ports.FARMSTEAD_PORT}`
const sites = Object.entries(ports)
  .filter(([name]) => name.includes('EDGE'))
  .map(([, port]) => `http://127.0.0.1:${port}`)

const plugin = spawnSync('docker', ['compose', 'version']).status === 0
const [program, ...first] = plugin ? ['docker', 'compose'] : ['docker-compose']

/** @param {string[]} args @param {'inherit' | 'pipe'} stdio */
function compose(args, stdio = 'inherit') {
  const all = [...first, '-p', 'farmstead-check', ...args]
  const done = spawnSync(program ?? '', all, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...ports },
    stdio: ['ignore', stdio, 'inherit'],
  })
  if (done.error)
    throw new Error(`${program}: ${done.error.message}; this check needs Docker Compose`)
  return { ok: done.status === 0, output: done.stdout ?? '' }
}

/**
 * @template T
 * @param {string} what
 * @param {() => Promise<T | null>} look
 * @returns {Promise<T>}
 */
async function eventually(what, look) {
  const deadline = performance.now() + UP_WITHIN_MS
  while (performance.now() < deadline) {
    const found = await look().catch(() => null)
    if (found !== null) {
      console.log(`✓ ${what}`)
      return found
    }
    await sleep(POLL_MS)
  }
  throw new Error(`not within ${UP_WITHIN_MS / 1000} s: ${what}`)
}

/** @param {Api} api */
async function allInSync(api) {
  const good = (await api.nodes()).filter(
    ({ connected, sync, identity }) =>
      connected && sync.state === 'in-sync' && identity.kind === 'certificate',
  )
  return good.length === NODES ? true : null
}

async function check() {
  const api = new Api(consoleUrl)
  await eventually('the control plane is healthy', async () => {
    const health = await bodyOf(api.call.GET('/api/v1/health'))
    return health.status === 'ok' ? true : null
  })
  await eventually('it serves the console', async () => {
    const answer = await fetch(`${consoleUrl}/`)
    return answer.ok && (await answer.text()).includes('<script') ? true : null
  })
  for (const site of sites) {
    await eventually(`${site} serves the sample site`, async () => {
      const answer = await fetch(`${site}/feed.json`)
      return answer.ok && (await answer.json()).items.length > 0 ? true : null
    })
  }
  const token = await eventually('the log has the set-up link', async () => {
    const { output } = compose(['logs', '--no-color', 'control-plane'], 'pipe')
    return [...output.matchAll(/\/setup#(fss_\S+)/g)].at(-1)?.[1] ?? null
  })
  await api.setUp({ token, username: 'admin', password: 'a long password of this check' })
  await eventually(`${NODES} nodes are in sync, over mutual TLS`, () => allInSync(api))
  if (!compose(['restart']).ok) throw new Error('"compose restart" failed')
  await eventually('after a restart they are in sync again', () => allInSync(api))
}

try {
  compose(['down', '--volumes', '--remove-orphans'])
  if (!compose(['up', '--build', '--detach']).ok) throw new Error('"compose up" failed')
  await check()
  console.log('The Compose farm works.')
} catch (error) {
  compose(['ps'])
  compose(['logs', '--no-color', '--tail', '40'])
  console.error(`\n${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  compose(['down', '--volumes', '--remove-orphans'])
}
