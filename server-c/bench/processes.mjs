// SPDX-License-Identifier: MIT
// Starts servers on cores of their own and asks the kernel what they use: CPU and memory of the
// whole tree of processes.
import { spawn } from 'node:child_process'
import { chownSync, closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { inGroup } from './control-group.mjs'

const TICKS_PER_SECOND = 100
const NOBODY = 65534
const END_WITHIN_MS = 5000
const isRoot = process.getuid?.() === 0

/** All that were started and have not ended: whatever happens to us, they end. */
const running = new Set()

/** Gives a file to the user the servers run as. @param {string} path */
export const giveAway = (path) => {
  if (isRoot) chownSync(path, NOBODY, NOBODY)
}

/** The cores this process may run on. @returns {number[]} */
export function allowedCores() {
  const [, list] = /Cpus_allowed_list:\s+(\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))
  return list.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
}

/** Not even root may raise its limit everywhere. @param {number} wanted */
export function descriptorLimit(wanted) {
  const [, hard] = /Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))
  return Math.min(wanted, Number(hard))
}

const withoutRights = isRoot
  ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  : ['--no-new-privs']

/**
 * @param {string[]} command
 * @param {{ cores: number[], descriptors: number, group?: string, log: string, cwd: string }} how
 */
export function startPinned(command, { cores, descriptors, group, log, cwd }) {
  const out = openSync(log, 'a')
  const [program, ...args] = [
    ...(group ? inGroup(group) : []),
    'prlimit',
    `--nofile=${descriptors}:${descriptors}`,
    ...['setpriv', '--pdeathsig', 'TERM', ...withoutRights],
    ...['taskset', '-c', cores.join(','), ...command],
  ]
  const child = spawn(program, args, { cwd, stdio: ['ignore', out, out] })
  closeSync(out)
  running.add(child)
  child.on('close', () => running.delete(child))
  child.on('error', () => running.delete(child))
  return child
}

export const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null

/** SIGTERM, and SIGKILL to the whole tree of what does not end by it. */
export async function stop(child) {
  if (hasEnded(child)) return
  const tree = processTree(child.pid)
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  const late = sleep(END_WITHIN_MS, 'late', { ref: false })
  if ((await Promise.race([ended, late])) !== 'late') return
  for (const pid of [...tree, ...processTree(child.pid)]) kill(pid)
  await ended
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

process.on('exit', () => {
  for (const child of running) for (const pid of processTree(child.pid)) kill(pid)
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

const read = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has ended meanwhile
  }
}

/** The fields of /proc/PID/stat behind the name, which may hold anything. */
const statFields = (pid) => read(`/proc/${pid}/stat`).split(') ').at(-1).split(' ')

/** `root` and all that descend from it. @param {number} root @returns {number[]} */
export function processTree(root) {
  const children = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = Number(statFields(name)[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

/** User and system time of these processes and of the children they have waited for. */
export function cpuMicroseconds(pids) {
  let ticks = 0
  for (const pid of pids)
    for (const field of statFields(pid).slice(11, 15)) ticks += Number(field) || 0
  return (ticks * 1e6) / TICKS_PER_SECOND
}

/** What all cores together have worked so far, whoever for, and what the hypervisor has taken. */
export function machineMicroseconds() {
  const [, ...ticks] = read('/proc/stat').split('\n')[0].split(/\s+/).map(Number)
  const [user, nice, system, , , irq, softirq, steal] = ticks
  const inMicroseconds = 1e6 / TICKS_PER_SECOND
  return {
    busy: (user + nice + system + irq + softirq) * inMicroseconds,
    stolen: steal * inMicroseconds,
  }
}

/**
 * Bytes in use: all resident pages; those with shared ones divided by who shares them; and of these what is no
 * file. The share of a file, libc's for one, shrinks when any process begins to use it.
 */
export function memory(pids) {
  let rssBytes = 0
  let pssBytes = 0
  let ownBytes = 0
  for (const pid of pids) {
    const text = read(`/proc/${pid}/smaps_rollup`)
    const bytesOf = (field) =>
      Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024
    rssBytes += bytesOf('Rss')
    pssBytes += bytesOf('Pss')
    ownBytes += bytesOf('Pss_Anon') + bytesOf('Pss_Shmem')
  }
  return { rssBytes, pssBytes, ownBytes }
}
