// SPDX-License-Identifier: MIT
// What a process has cost so far, as the kernel counts.
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
