// SPDX-License-Identifier: MIT
// A disk of a few mebibytes that one process and its children see.
import { spawnSync } from 'node:child_process'

/** The command before another that gives it such a disk at `folder`. */
export function onSmallDisk(folder, mebibytes) {
  const unshare = ['unshare', process.getuid() === 0 ? '-m' : '-rm']
  const script = `mkdir -p "$0" && mount -t tmpfs -o size=${mebibytes}m tmpfs "$0" && exec "$@"`
  return [...unshare, 'sh', '-c', script, folder]
}

const refusal = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'])
/** For `skip` of a test; false: there can be one. */
export const whyNoSmallDisk = refusal.status !== 0 && "can't mount a small disk"
