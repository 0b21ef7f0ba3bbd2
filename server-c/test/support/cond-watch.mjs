// SPDX-License-Identifier: MIT
// Starts a node with cond_watch.c, which writes down which condition variables event loops signal.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from './node.mjs'
import { preload } from './preload.mjs'

/** `wrap` is for startNode; seen() is what event loops have signalled. */
export function condWatch(t) {
  const path = join(tempFolder(t), 'seen')
  return {
    wrap: preload('cond_watch', { FARMSTEAD_COND_SEEN: path }),
    seen: () => (existsSync(path) ? readFileSync(path, 'utf8') : ''),
  }
}
