// SPDX-License-Identifier: MIT
// What the kernel says about a running node.
import { readdirSync, readFileSync } from 'node:fs'

function statusNumber(pid, name) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)[1])
}

/** Memory in use, in bytes. */
export const rssBytes = (pid) => statusNumber(pid, 'VmRSS') * 1024

/** The most that it ever had in use, in bytes. */
export const mostRssBytes = (pid) => statusNumber(pid, 'VmHWM') * 1024

/** For how many descriptors the kernel has made room so far. */
export const descriptorRoom = (pid) => statusNumber(pid, 'FDSize')

/** CPU time used so far, in ticks of 10 ms. */
export function cpuTicks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return Number(fields[11]) + Number(fields[12])
}

export const descriptors = (pid) => readdirSync(`/proc/${pid}/fd`).length

/** How many files this process, and so its children, may have open at most. */
export function descriptorLimit() {
  const [, hard] = /Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))
  return Number(hard)
}

/** How many bytes of these clients the server behind `port` (IPv4) has not read yet. */
export function unreadBytes(port, clients) {
  const theirs = new Set(clients.map(({ socket }) => socket.localPort))
  const portOf = (address) => Number.parseInt(address.split(':')[1], 16)
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote]) => remote && portOf(local) === port && theirs.has(portOf(remote)))
    .reduce((sum, [, , , , queues]) => sum + Number.parseInt(queues.split(':')[1], 16), 0)
}
