// SPDX-License-Identifier: MIT
// Control groups (cgroup v1) of a test's own, and how to start a node in them.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const HIERARCHIES = '/sys/fs/cgroup'
let count = 0

/** Why there can be none here; false: there can. */
export const noControlGroups = (...controllers) =>
  (process.getuid?.() !== 0 && 'only root may make control groups') ||
  (!controllers.every((one) => existsSync(join(HIERARCHIES, one, 'cgroup.procs'))) &&
    `this machine has no cgroup v1 for ${controllers.join(' and ')}`)

/**
 * @param {Record<string, Record<string, string | number>>} limits by controller and file
 * @returns `wrap` for startNode, and `remove` for when the node has ended: for t.after(), after startNode().
 */
export function controlGroups(limits) {
  const name = `farmstead-test-${process.pid}-${count++}`
  const groups = Object.entries(limits).map(([controller, files]) => {
    const group = join(HIERARCHIES, controller, name)
    mkdirSync(group)
    for (const [file, value] of Object.entries(files)) writeFileSync(join(group, file), `${value}`)
    return group
  })
  const enter = groups.map((group) => `echo $$ > ${group}/cgroup.procs`).join('; ')
  return {
    wrap: ['sh', '-c', `${enter}; exec "$@"`, 'sh'],
    remove: () => {
      for (const group of groups) rmdirSync(group)
    },
  }
}
