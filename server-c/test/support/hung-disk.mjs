// SPDX-License-Identifier: MIT
// Starts a node with hung_disk.c, a disk that does not answer until it is released.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tempFolder } from './node.mjs'
import { preloadEnv, wrapWith } from './preload.mjs'

/** `wrap` is for startNode, `env` for AgentNode; after release() the disk answers. */
export function hungDisk(t) {
  const until = join(tempFolder(t), 'released')
  const env = preloadEnv('hung_disk', { FARMSTEAD_HANG_UNTIL: until })
  return {
    env,
    wrap: wrapWith(env),
    release: async () => {
      writeFileSync(until, '')
      await sleep(500) // all that hang have seen it
    },
  }
}
