// SPDX-License-Identifier: MIT
// A disk that can be filled: a tmpfs in a namespace of its own, which only root can have.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from '../helper.ts'

const PAGE_BYTES = 4096

export const canMount =
  spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0

export type Disk = {
  dir: string
  /** The same, for who is outside. */
  outside: string
  wrap: string[]
  fill: () => void
  free: () => void
}

export async function smallDisk(bytes: number): Promise<Disk> {
  const dir = join(tempDir(), 'disk')
  mkdirSync(dir)
  const script = `mount -t tmpfs -o size=${bytes} tmpfs "$0" && echo ready && exec cat`
  const holder = spawn('unshare', ['-m', 'sh', '-c', script, dir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    holder.kill('SIGKILL')
  })
  await new Promise((ready) => holder.stdout.once('data', ready))
  const outside = join(`/proc/${holder.pid}/root`, dir)
  const filler = join(outside, 'filler')
  const fill = () => {
    let size = statSync(filler, { throwIfNoEntry: false })?.size ?? 0
    try {
      for (;;) {
        writeFileSync(filler, Buffer.alloc(PAGE_BYTES), { flag: 'a' })
        size += PAGE_BYTES
      }
    } catch {
      truncateSync(filler, size)
    }
  }
  const wrap = ['nsenter', '-t', String(holder.pid), '-m', '--']
  return { dir, outside, wrap, fill, free: () => rmSync(filler) }
}
