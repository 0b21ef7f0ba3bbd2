// SPDX-License-Identifier: MIT
// Builds long_names_disk.c and mounts it.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempFolder } from './node.mjs'

const source = join(dirname(fileURLToPath(import.meta.url)), 'long_names_disk.c')

/** Why there can be none here; false: there can. */
export const noLongNames =
  (process.getuid?.() !== 0 && 'only root may mount') ||
  (!existsSync('/dev/fuse') && 'this machine has no FUSE')

/** A folder with one file of that name. */
export async function longNamesDisk(t, name) {
  let disk, folder
  t.after(() => {
    if (folder) execFileSync('umount', ['-l', folder])
    disk?.kill()
  })
  const base = tempFolder(t) // what is removed after the test, when nothing is mounted there any more
  const place = join(base, 'mounted')
  const program = join(base, 'long_names_disk')
  execFileSync(process.env.CC ?? 'cc', [
    ...['-std=c11', '-D_GNU_SOURCE', '-O1', '-Wall', '-Wextra', '-Werror'],
    ...['-o', program, source],
  ])
  mkdirSync(place)
  disk = spawn(program, [place, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await Promise.race([once(disk.stdout, 'data'), once(disk, 'exit')])
  if (`${said}`.trim() !== 'mounted') throw new Error(`long_names_disk ended with ${said}`)
  folder = place
  return folder
}
