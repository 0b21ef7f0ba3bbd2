// SPDX-License-Identifier: MIT
// All servers under one load: every one starts, proves that it answers rightly and is warmed up;
// then they take turns, another one first in each round, so that what drifts hits all alike.
import { makeCertificate } from './certificates.mjs'
import { offerTheSame, runClient } from './clients.mjs'
import { Instance, OTHER_DESCRIPTORS } from './instance.mjs'
import { measure } from './measure.mjs'
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
 * @property {{ tlsLoad: string, holder: string }} programs
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

/** One half of the descriptors is for files: so lighttpd wants it, and ours, which counts one for each connection. */
function idleCount({ idle = 0, connections }, scale, descriptors) {
  const others = OTHER_DESCRIPTORS + SPARE_CONNECTIONS + 2 * connections
  const left = Math.floor(descriptors / 2) - others
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
  const { rounds, seconds, repeats, scale, group, cores, dir, site, programs, say } = plan
  const prepared = load.prepare(site, scale)
  const descriptors = descriptorLimit(DESCRIPTORS)
  const scaledLoad = {
    ...load,
    connections: Math.max(2, Math.round(load.connections * scale)),
    storm: load.storm && Math.max(2, Math.round(load.storm * scale)),
    idleCount: idleCount(load, scale, descriptors),
  }
  const able = servers.filter(({ protocols }) => protocols.includes(load.protocol ?? 'http'))
  const entries = load.loops ? oneAndTwoLoops(able, cores) : oneLoopEach(able, cores)
  // Two loops need both cores of a small machine, so the client has all cores whichever way it goes.
  const clientCores = load.loops ? cores.slice(0, 4) : rest(cores)
  const client = { seconds, cores: clientCores, programs, env: offerTheSame(dir) }
  const connections =
    scaledLoad.connections + scaledLoad.idleCount + (scaledLoad.storm ?? 0) + SPARE_CONNECTIONS
  const { protocol = 'http' } = load
  const isTls = protocol === 'https' || protocol === 'h2'
  const certificate = isTls ? makeCertificate(dir, load.certificate) : undefined
  const limits = { connections, descriptors, group }
  const where = { dir, root: site.root, prepared, protocol, certificate, ...limits }
  const { instances, leftOut } = await startAll(entries, where, say)
  const results = instances.map(({ label, server }) => ({
    label,
    kind: server.kind,
    version: server.version(),
    rounds: [],
  }))
  try {
    const warm = { ...client, seconds: Math.min(WARM_UP_SECONDS, seconds) * (load.warmUp ?? 1) }
    for (const instance of instances) await runClient(instance, scaledLoad, warm)
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < instances.length; turn++) {
        const i = (round + turn) % instances.length
        if (instances[i].hasEnded()) await restart(instances[i])
        const what = [instances[i], scaledLoad, client]
        results[i].rounds.push(await measureQuietly(repeats, ...what))
      }
    }
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()))
  }
  const { name, title, client: program = 'wrk' } = load
  return { name, title, client: program, at: new Date().toISOString(), results, leftOut }
}
