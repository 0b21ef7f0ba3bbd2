// SPDX-License-Identifier: MIT
// What farmstead-node says of an imported draft.
import { spawnSync } from 'node:child_process'
import { nodeBinary } from '../../plain-config.ts'

export function checkOf(draft: string): string {
  const words = ['check', '--text-only', '-']
  const { stdout, stderr } = spawnSync(nodeBinary, words, { input: draft, encoding: 'utf8' })
  return stdout + stderr
}
