// SPDX-License-Identifier: MIT
// One measurement: wrk at one server for some seconds, with what the kernel counted meanwhile.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { cpuMicroseconds, machineMicroseconds, memory } from './processes.mjs'

const wrkFolder = fileURLToPath(new URL('wrk', import.meta.url))
const WRK_TIMEOUT_SECONDS = 10
const WRK_ENDS_WITHIN_MS = 15_000
const HOLDS_WITHIN_MS = 60_000

/**
 * @typedef {object} Wrk
 * @property {number} seconds may be a fraction: wrk is interrupted then
 * @property {number[]} cores
 */

/**
 * @param {import('./instance.mjs').Instance} instance
 * @param {import('./loads.mjs').Load} load
 * @param {Wrk} wrk
 * @returns {Promise<any>} what wrk/report.lua says
 */
async function runWrk({ port, headers, where: { prepared } }, { connections }, { seconds, cores }) {
  const args = [
    ...['-c', cores.join(','), 'wrk', '-t', String(cores.length), '-c', String(connections)],
    ...['-d', `${Math.ceil(seconds)}s`, '--timeout', `${WRK_TIMEOUT_SECONDS}s`],
    ...['-s', `${wrkFolder}/${prepared.script ?? 'report'}.lua`],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    `http://127.0.0.1:${port}${prepared.path}`,
    ...['--', ...(prepared.scriptArgs ?? []).map(String)],
  ]
  const env = { ...process.env, LUA_PATH: `${wrkFolder}/?.lua;;` }
  const child = spawn('taskset', args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const late = setTimeout(() => child.kill('SIGKILL'), seconds * 1000 + WRK_ENDS_WITHIN_MS)
  const enough = Number.isInteger(seconds)
    ? undefined
    : setTimeout(() => child.kill('SIGINT'), seconds * 1000)
  let output = ''
  const take = (chunk) => {
    output += chunk
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  await once(child, 'close')
  clearTimeout(late)
  clearTimeout(enough)
  const said = /^bench-json (.*)$/m.exec(output)?.[1]
  if (!said) throw new Error(`wrk did not say what it found:\n${output}`)
  return JSON.parse(said)
}

/** Idle connections beside the load. `release()` tells how many the server had closed by itself. */
class Held {
  static async take(holder, { port, where }, count) {
    const held = new Held()
    held.child = spawn(
      'prlimit',
      [`--nofile=${count + 100}`, holder, String(port), String(count), where.prepared.path],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    held.child.stdin.on('error', () => {})
    held.output = ''
    held.child.stdout.on('data', (chunk) => {
      held.output += chunk
    })
    held.count = await held.#says('held')
    return held
  }

  async #says(word) {
    const late = setTimeout(() => this.child.kill('SIGKILL'), HOLDS_WITHIN_MS)
    const pattern = new RegExp(`^${word} (\\d+)$`, 'm')
    while (!pattern.test(this.output)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null) break
      await Promise.race([once(this.child.stdout, 'data'), once(this.child, 'close')])
    }
    clearTimeout(late)
    return Number(pattern.exec(this.output)?.[1] ?? 0)
  }

  async release() {
    this.child.stdin.end()
    return this.#says('lost')
  }
}

const total = (errors) => Object.values(errors).reduce((sum, one) => sum + one, 0)

/** Figures of one run. Times in microseconds unless the name says otherwise. */
async function measureLoad(instance, load, wrk) {
  const pids = instance.pids()
  const before = {
    server: cpuMicroseconds(pids),
    own: ownMicroseconds(),
    all: machineMicroseconds(),
  }
  const startedAt = performance.now()
  const { requests, bytes, microseconds, p50, p99, max, errors } = await runWrk(instance, load, wrk)
  const used = memory(instance.pids())
  const server = cpuMicroseconds(pids) - before.server
  const wall = (performance.now() - startedAt) * 1000
  const own = ownMicroseconds() - before.own
  const { busy, stolen } = machineMicroseconds()
  const others = busy - before.all.busy - server - own
  return {
    requestsPerSecond: (requests * 1e6) / microseconds,
    megabytesPerSecond: bytes / microseconds,
    cpuPerRequest: requests ? server / requests : null,
    busyCores: server / microseconds,
    wrkBusyShare: own / microseconds / wrk.cores.length,
    othersBusyCores: Math.max(0, others / wall),
    stolenCores: (stolen - before.all.stolen) / wall,
    p50,
    p99,
    max,
    requests,
    errors: total(errors) + (instance.hasEnded() ? 1 : 0),
    errorKinds: errors,
    died: instance.hasEnded(),
    ...used,
  }
}

/** Ours and that of the children that have ended: wrk's. */
const ownMicroseconds = () => cpuMicroseconds([process.pid])

/**
 * @param {import('./instance.mjs').Instance} instance
 * @param {import('./loads.mjs').Load & { idleCount?: number }} load
 * @param {Wrk} wrk
 * @param {string} holder the program that holds idle connections
 */
export async function measure(instance, load, wrk, holder) {
  if (!load.idleCount) return measureLoad(instance, load, wrk)
  const { ownBytes: emptyBytes } = memory(instance.pids())
  const held = await Held.take(holder, instance, load.idleCount)
  const { ownBytes: heldBytes } = memory(instance.pids())
  // Later ones may get the memory that the first ones left behind.
  instance.bytesPerIdleConnection ??= (heldBytes - emptyBytes) / Math.max(1, held.count)
  const figures = await measureLoad(instance, load, wrk)
  const lost = await held.release()
  const missing = load.idleCount - held.count + lost
  return {
    ...figures,
    errors: figures.errors + missing,
    held: held.count - lost,
    bytesPerIdleConnection: instance.bytesPerIdleConnection,
  }
}

export const warmUp = runWrk
