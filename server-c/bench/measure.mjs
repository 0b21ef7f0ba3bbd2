// SPDX-License-Identifier: MIT
// One measurement: a client at one server for some seconds, with what the kernel counted meanwhile.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { runClient } from './clients.mjs'
import { cpuMicroseconds, machineMicroseconds, memory } from './processes.mjs'

const HOLDS_WITHIN_MS = 60_000

/** Idle connections beside the load. `release()` tells how many the server had closed by itself. */
class Held {
  static async take({ port, where }, { protocol, idleCount }, { programs, env }) {
    const overTls = protocol === 'https' ? ['-t'] : []
    const what = [String(port), String(idleCount), where.prepared.path]
    const held = new Held()
    held.child = spawn(
      'prlimit',
      [`--nofile=${idleCount + 100}`, programs.holder, ...overTls, ...what],
      { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } },
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

/** As the most nice of programs, so that its own work does not hold up who measures. */
const runStorm = (instance, { storm }, client) =>
  runClient(instance, { client: 'tls_load', connections: storm }, { ...client, niceness: 19 })

/** Figures of one run. Times in microseconds unless the name says otherwise. */
async function measureLoad(instance, load, client) {
  const pids = instance.pids()
  const before = {
    server: cpuMicroseconds(pids),
    own: ownMicroseconds(),
    all: machineMicroseconds(),
  }
  const startedAt = performance.now()
  const [found, storm] = await Promise.all([
    runClient(instance, load, client),
    load.storm ? runStorm(instance, load, client) : null,
  ])
  const { requests, bytes, microseconds, p50, p99, max } = found
  const errors = { ...found.errors, ...storm?.errors }
  const used = memory(instance.pids())
  const server = cpuMicroseconds(pids) - before.server
  const wall = (performance.now() - startedAt) * 1000
  const own = ownMicroseconds() - before.own
  const { busy, stolen } = machineMicroseconds()
  const others = busy - before.all.busy - server - own
  return {
    requestsPerSecond: (requests * 1e6) / microseconds,
    megabytesPerSecond: bytes / microseconds,
    cpuPerRequest: requests && !storm ? server / requests : null,
    ...(storm ? { stormPerSecond: (storm.requests * 1e6) / storm.microseconds } : {}),
    busyCores: server / microseconds,
    wrkBusyShare: own / microseconds / client.cores.length,
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
 * @param {import('./clients.mjs').Client} client
 */
export async function measure(instance, load, client) {
  if (!load.idleCount) return measureLoad(instance, load, client)
  const { ownBytes: emptyBytes } = memory(instance.pids())
  const held = await Held.take(instance, load, client)
  const { ownBytes: heldBytes } = memory(instance.pids())
  // Later ones may get the memory that the first ones left behind.
  instance.bytesPerIdleConnection ??= (heldBytes - emptyBytes) / Math.max(1, held.count)
  const figures = await measureLoad(instance, load, client)
  const lost = await held.release()
  const missing = load.idleCount - held.count + lost
  return {
    ...figures,
    errors: figures.errors + missing,
    held: held.count - lost,
    bytesPerIdleConnection: instance.bytesPerIdleConnection,
  }
}
