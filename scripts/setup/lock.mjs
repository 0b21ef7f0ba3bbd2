// SPDX-License-Identifier: MIT
// One owner at a time for a folder: a file that names the process which holds it. A lock whose
// process is gone (crash, kill -9, power loss) is taken over.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 300

/**
 * When the process began, in clock ticks since boot: with the pid it names one process for good,
 * because pids are used again. Empty where there is no /proc or no such process.
 * @param {number} pid
 */
export function processStart(pid) {
  try {
    // The name in parentheses may hold anything, so count fields from the last parenthesis.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

/** @param {string} file @returns {number | null} the pid of a living holder */
function holder(file) {
  try {
    const [pid, start] = readFileSync(file, 'utf8').trim().split(' ')
    return start !== undefined && processStart(Number(pid)) === start ? Number(pid) : null
  } catch {
    return null
  }
}

/**
 * Takes the lock, or says who has it.
 * @param {string} file
 * @returns {{ release: () => void } | { pid: number }}
 */
export function tryLock(file) {
  mkdirSync(dirname(file), { recursive: true })
  for (;;) {
    try {
      writeFileSync(file, `${process.pid} ${processStart(process.pid)}\n`, { flag: 'wx' })
      return { release: () => rmSync(file, { force: true }) }
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
      const pid = holder(file)
      if (pid !== null) return { pid }
      rmSync(file, { force: true })
    }
  }
}

/**
 * Waits for the lock. `onWait` is called once when another process has it.
 * @param {string} file
 * @param {(pid: number) => void} onWait
 */
export async function lock(file, onWait) {
  let told = false
  for (;;) {
    const got = tryLock(file)
    if ('release' in got) return got
    if (!told) onWait(got.pid)
    told = true
    await sleep(POLL_MS)
  }
}
