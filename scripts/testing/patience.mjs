// SPDX-License-Identifier: MIT
// A command that takes of the processor only what all others leave, until somebody waits for it: docs/decisions/0188.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const MOST_NICE = 19

/**
 * Linux gives each session the same share of the processor, so that the session is what has to be nice; where it does not
 * (in a container), its processes. What the system refuses is left: who is not root can't take niceness of processes back.
 * @param {number} leader @param {number} nice
 */
function makeNice(leader, nice) {
  spawnSync('renice', ['-n', String(nice), '-g', String(leader)], { stdio: 'ignore' })
  try {
    writeFileSync(`/proc/${leader}/autogroup`, String(nice))
  } catch {
    // It has ended, or this kernel goes by processes alone.
  }
}

/** For one command at a time. */
export class Patience {
  /** @type {number | null} */
  #leader = null
  #isWaitedFor = false

  /** @param {number} leader of a session of its own */
  begin(leader) {
    this.#leader = leader
    if (!this.#isWaitedFor) makeNice(leader, MOST_NICE)
  }

  end() {
    this.#leader = null
  }

  /** Then it is as any other: what else runs on this machine would keep the one who waits. @param {boolean} isWaitedFor */
  waitedFor(isWaitedFor) {
    this.#isWaitedFor = isWaitedFor
    if (this.#leader !== null) makeNice(this.#leader, isWaitedFor ? 0 : MOST_NICE)
  }
}
