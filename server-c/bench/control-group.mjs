// SPDX-License-Identifier: MIT
// Control groups (cgroup v1), which hold a command back.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../../scripts/setup/problem.mjs'

/** The words that start a command inside a control group. @param {string} group its folder */
export const inGroup = (group) => ['sh', '-c', `echo $$ > ${group}/cgroup.procs; exec "$@"`, 'sh']

const CONTROLLER = '/sys/fs/cgroup/cpu'
/**
 * Long beside a tick of the kernel's clock: who works without a pause is stopped at a tick only, and loses what it had
 * too much. With 2 ms, servers that never sleep got 0.41 of a core, those that do 0.51.
 */
const PERIOD_US = 100_000

/** Holds servers to a part of their core, so that wrk on a core of its own is never what is waited for. */
export class CpuShare {
  /** @param {number} share of a core, above 0 and below 1 */
  constructor(share) {
    if (process.getuid?.() !== 0 || !existsSync(join(CONTROLLER, 'cpu.cfs_quota_us')))
      throw new Problem(
        `--cpu-share needs root and the cpu controller of cgroup v1 at ${CONTROLLER}. Leave it out here.`,
      )
    // One for all servers: they take turns, and who is not asked does nothing.
    this.group = join(CONTROLLER, `farmstead-bench-${process.pid}`)
    mkdirSync(this.group)
    this.#write('cpu.cfs_period_us', PERIOD_US)
    this.#write('cpu.cfs_quota_us', Math.round(PERIOD_US * share))
  }

  #write(name, value) {
    writeFileSync(join(this.group, name), String(value))
  }

  close() {
    rmdirSync(this.group)
  }
}
