// SPDX-License-Identifier: MIT
// What a process has cost so far, and what the machine was not given, as the kernel counts.
import { readFileSync, writeFileSync } from 'node:fs'
import { machineMicroseconds } from '../../../server-c/bench/processes.mjs'

const CPU_TICK_MS = 10

/** User and system time: fields 14 and 15 of its stat, the name before them may have blanks. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * CPU_TICK_MS
}

export const residentBytesOf = (pid: number): number => statusBytes(pid, 'VmRSS')

/** The most that was resident since it began, or since that was forgotten; 0: there is no such process. */
export function peakBytesOf(pid: number): number {
  try {
    return statusBytes(pid, 'VmHWM')
  } catch {
    return 0
  }
}

/** It is what is resident now. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // It has ended, or has not begun.
  }
}

function statusBytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024
}

type MachineTime = ReturnType<typeof machineMicroseconds>

/** Of the processor time that was asked for since: 0 to 1. */
export function stolenShareSince(before: MachineTime): number {
  const now = machineMicroseconds()
  const stolen = now.stolen - before.stolen
  return stolen / Math.max(1, now.busy - before.busy + stolen)
}
