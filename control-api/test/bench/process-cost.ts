// SPDX-License-Identifier: MIT
// What a process has cost so far, and what the machine was not given, as the kernel counts.
import { readFileSync } from 'node:fs'

const CPU_TICK_MS = 10

/** User and system time: fields 14 and 15 of its stat, the name before them may have blanks. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * CPU_TICK_MS
}

export function residentBytesOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

/** proc_stat(5): what was used and what the hypervisor kept, in ticks of all processors. */
export type MachineTicks = { used: number; stolen: number }

export function machineTicks(): MachineTicks {
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? ''
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return { used: user + nice + system + irq + softirq, stolen }
}

/** Of the processor time that was asked for since: 0 to 1. */
export function stolenShareSince(before: MachineTicks): number {
  const now = machineTicks()
  const stolen = now.stolen - before.stolen
  return stolen / Math.max(1, now.used - before.used + stolen)
}
