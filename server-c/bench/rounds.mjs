// SPDX-License-Identifier: MIT
// All servers under one load: every one starts, proves that it answers rightly and is warmed up;
// then they take turns, another one first in each round, so that what drifts hits all alike.
import { Instance } from './instance.mjs'
import { measure, warmUp } from './measure.mjs'
import { descriptorLimit } from './processes.mjs'

const WARM_UP_SECONDS = 0.5
/** What every server may have open; less where the system allows less. */
const DESCRIPTORS = 65_536
/** Connections that a server must be ready for beside those of the load. */
const SPARE_CONNECTIONS = 100

/**
 * @typedef {object} Plan
 * @property {number} rounds
 * @property {number} seconds of each measurement
 * @property {number} repeats of a measurement at most, while the machine has other work
 * @property {number} scale 1, or less for fewer files and connections
 * @property {string} [group] the control group that the servers run in
 * @property {number[]} cores
 * @property {string} dir
 * @property {import('./site.mjs').Site} site
 * @property {string} holder
 * @property {(line: string) => void} say
 */

const first = (cores) => cores.slice(0, 1)
/** What the server leaves, and not more than can be of use; its own core where there is one only. */
const rest = (cores) => (cores.length > 1 ? cores.slice(1, 4) : cores)

/** @param {import('./peers.mjs').Server[]} servers @param {number[]} cores */
function oneLoopEach(servers, cores) {
  return servers.map((server) => ({
    server,
    how: { label: server.name, loops: 1, cores: first(cores) },
  }))
}

/** @param {import('./peers.mjs').Server[]} servers @param {number[]} cores */
function oneAndTwoLoops(servers, cores) {
  return servers
    .filter(({ kind }) => kind !== 'peer')
    .flatMap((server) =>
      [1, 2].map((loops) => ({
        server,
        how: {
          label: `${server.name}, ${loops === 1 ? '1 loop' : '2 loops'}`,
          loops,
          cores: cores.slice(0, loops),
        },
      })),
    )
}

/** lighttpd keeps half of its descriptors for files: what is left of the other half, all must take. */
function idleCount({ idle = 0, connections }, scale, descriptors) {
  const left = Math.floor(descriptors / 2) - 2 * connections
  return Math.max(0, Math.min(Math.round(idle * scale), left))
}

async function startAll(entries, where, say) {
  const instances = []
  const leftOut = []
  for (const { server, how } of entries) {
    const instance = new Instance(server, how, where)
    let wrong
    try {
      await instance.start()
      wrong = await instance.verify()
    } catch (error) {
      wrong = error.message
    }
    if (!wrong) {
      instances.push(instance)
      continue
    }
    say(`  ${how.label} is left out: ${wrong}`)
    leftOut.push({ label: how.label, kind: server.kind, leftOut: wrong })
    await instance.stop()
  }
  return { instances, leftOut }
}

/** Two hundredths of the time are more than p99 leaves out. */
const DISTURBED_CORES = 0.02
const disturbance = ({ othersBusyCores, stolenCores }) => othersBusyCores + stolenCores

/** Measures again while the machine has other work, a few times at most; the quietest run counts. */
async function measureQuietly(repeats, ...what) {
  let quietest = null
  for (let i = 0; i <= repeats; i++) {
    const figures = await measure(...what)
    if (!quietest || disturbance(figures) < disturbance(quietest)) quietest = figures
    if (disturbance(quietest) <= DISTURBED_CORES) break
  }
  return quietest
}

async function restart(instance) {
  await instance.stop()
  await instance.start()
  await instance.verify()
}

/** @param {import('./loads.mjs').Load} load @param {import('./peers.mjs').Server[]} servers @param {Plan} plan */
export async function runLoad(load, servers, plan) {
  const { rounds, seconds, repeats, scale, group, cores, dir, site, holder, say } = plan
  const prepared = load.prepare(site, scale)
  const descriptors = descriptorLimit(DESCRIPTORS)
  const scaledLoad = {
    ...load,
    connections: Math.max(2, Math.round(load.connections * scale)),
    idleCount: idleCount(load, scale, descriptors),
  }
  const entries = load.loops ? oneAndTwoLoops(servers, cores) : oneLoopEach(servers, cores)
  // Two loops need both cores of a small machine, so wrk has all cores whichever way it goes.
  const wrk = { seconds, cores: load.loops ? cores.slice(0, 4) : rest(cores) }
  const connections = scaledLoad.connections + scaledLoad.idleCount + SPARE_CONNECTIONS
  const where = { dir, root: site.root, prepared, connections, descriptors, group }
  const { instances, leftOut } = await startAll(entries, where, say)
  const results = instances.map(({ label, server }) => ({
    label,
    kind: server.kind,
    version: server.version(),
    rounds: [],
  }))
  try {
    const warm = { ...wrk, seconds: Math.min(WARM_UP_SECONDS, seconds) * (load.warmUp ?? 1) }
    for (const instance of instances) await warmUp(instance, scaledLoad, warm)
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < instances.length; turn++) {
        const i = (round + turn) % instances.length
        if (instances[i].hasEnded()) await restart(instances[i])
        const what = [instances[i], scaledLoad, wrk, holder]
        results[i].rounds.push(await measureQuietly(repeats, ...what))
      }
    }
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()))
  }
  return { name: load.name, title: load.title, at: new Date().toISOString(), results, leftOut }
}
