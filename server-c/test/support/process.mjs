// SPDX-License-Identifier: MIT
// What the kernel says about a running node.
import { readdirSync, readFileSync } from 'node:fs'

/** Memory in use, in bytes. */
export function rssBytes(pid) {
  const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(kib) * 1024
}

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
