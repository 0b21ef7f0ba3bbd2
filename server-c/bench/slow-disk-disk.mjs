// SPDX-License-Identifier: MIT
// The slow disk: files on it, all of them cold when asked for, and a process held to its rate.
//
// By itself it is a loop device with a file system of its own: unmounting it empties the caches of
// nothing else. Its image is read past the page cache (direct I/O), and the disk under the image is
// what is held back: kernels let reads of folders and inodes pass a throttle on the very device. With
// a folder it is the disk that holds the folder, and the caches of the whole machine are dropped.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { inGroup } from './control-group.mjs'

const THROTTLES = '/sys/fs/cgroup/blkio'
const READ_AHEAD_KB = '128' // what most machines have; some virtual ones have much more
export const HOT_PATH = '/hot.bin'
const HOT_BYTES = 4096

const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8' }).trim()

/** Why it can't be measured here, or null. */
export function whyNot() {
  if (process.getuid() !== 0) return 'it needs root, to hold a disk back'
  if (!existsSync(join(THROTTLES, 'blkio.throttle.read_bps_device')))
    return `it needs the blkio controller of cgroup v1 at ${THROTTLES}`
  return null
}

const numberOf = (path) => {
  const { dev } = statSync(path, { bigint: true })
  return deviceName(dev)
}
const deviceName = (dev) =>
  `${((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn)}:${(dev & 0xffn) | ((dev >> 12n) & 0xffffff00n)}`

/** The disk that a partition is on: the throttle knows disks only. */
function wholeDisk(number) {
  const folder = realpathSync(`/sys/dev/block/${number}`)
  if (!existsSync(join(folder, 'partition'))) return number
  return readFileSync(join(folder, '../dev'), 'utf8').trim()
}

/** Files as `tree` says, in `root`; what is there already is left as it is. */
function writeFiles(root, tree) {
  const done = join(root, `.made-${tree.name}`)
  if (existsSync(done)) return
  writeFileSync(join(root, HOT_PATH), Buffer.alloc(HOT_BYTES, 'hot '))
  const chunk = Buffer.alloc(tree.bytes, 'cold and large ')
  let folder = ''
  for (const path of tree.paths) {
    const parent = path.slice(0, path.lastIndexOf('/'))
    if (parent !== folder) mkdirSync(join(root, parent), { recursive: true })
    folder = parent
    const fd = openSync(root + path, 'w')
    if (tree.isSparse) ftruncateSync(fd, tree.bytes)
    else writeSync(fd, chunk)
    closeSync(fd)
  }
  writeFileSync(done, '')
}

class LoopDisk {
  constructor(folder, tree) {
    this.image = join(folder, `${tree.name}.img`)
    this.root = join(folder, `${tree.name}.mnt`)
    mkdirSync(this.root, { recursive: true })
    const isNew = !existsSync(this.image)
    if (isNew) {
      const fd = openSync(this.image, 'w')
      const space = tree.isSparse ? 0 : tree.paths.length * tree.bytes
      ftruncateSync(fd, Math.ceil(space * 1.05) + 512 * 2 ** 20)
      closeSync(fd)
      const options = 'lazy_itable_init=0,lazy_journal_init=0'
      run('mkfs.ext4', '-q', '-N', String(tree.paths.length + 5000), '-E', options, this.image)
    }
    this.device = run('losetup', '--direct-io=on', '--find', '--show', this.image)
    try {
      writeFileSync(`/sys/block/${this.device.slice(5)}/queue/read_ahead_kb`, READ_AHEAD_KB)
      if (isNew) {
        run('mount', this.device, this.root)
        writeFiles(this.root, tree)
        run('umount', this.root)
      }
      this.mountOptions = ['-o', `ro,noload,${tree.mountOptions ?? 'noatime'}`]
      this.makeCold()
    } catch (error) {
      this.close()
      throw error
    }
    this.number = wholeDisk(numberOf(folder))
  }

  makeCold() {
    spawnSync('umount', [this.root], { stdio: 'ignore' })
    run('mount', ...this.mountOptions, this.device, this.root)
  }

  close() {
    spawnSync('umount', [this.root], { stdio: 'ignore' })
    run('losetup', '--detach', this.device)
  }
}

class RealDisk {
  constructor(folder, tree) {
    this.root = join(folder, tree.name)
    mkdirSync(this.root, { recursive: true })
    writeFiles(this.root, tree)
    this.number = wholeDisk(numberOf(this.root))
  }

  makeCold() {
    run('sync')
    writeFileSync('/proc/sys/vm/drop_caches', '3')
  }

  close() {}
}

/** {root, number, makeCold(), close()} */
export const openDisk = (folder, tree, isReal) =>
  isReal ? new RealDisk(folder, tree) : new LoopDisk(folder, tree)

/** Holds who is in it to `bytes` or `reads` a second of the disk, from hold() to lift(). */
export class Throttle {
  constructor(disk, { bytes = 0, reads = 0 }) {
    this.disk = disk
    this.limits = { read_bps_device: bytes, read_iops_device: reads }
    this.group = join(THROTTLES, `farmstead-bench-${process.pid}`)
    mkdirSync(this.group)
  }

  hold() {
    for (const [name, limit] of Object.entries(this.limits)) this.write(name, limit)
  }

  lift() {
    for (const name of Object.keys(this.limits)) this.write(name, 0)
  }

  write(name, limit) {
    writeFileSync(join(this.group, `blkio.throttle.${name}`), `${this.disk.number} ${limit}`)
  }

  /** The words that start a command inside, on the given core. */
  wrap(core) {
    return [...inGroup(this.group), 'taskset', '-c', String(core)]
  }

  /** Bytes and reads that the disk has done for those inside. */
  used() {
    const counted = (name) =>
      Number(
        readFileSync(join(this.group, `blkio.throttle.${name}`), 'utf8')
          .split('\n')
          .find((line) => line.startsWith(`${this.disk.number} Read `))
          ?.split(' ')[2] ?? 0,
      )
    return { bytes: counted('io_service_bytes'), reads: counted('io_serviced') }
  }

  close() {
    rmdirSync(this.group)
  }
}

/** What a plain reader gets of the disk: bytes a second, reading these files one after the other. */
export function plainRate(disk, throttle, paths) {
  disk.makeCold()
  const [command, ...args] = [...throttle.wrap(1), 'cat', ...paths.map((path) => disk.root + path)]
  const start = process.hrtime.bigint()
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error('the plain reader failed')
  const seconds = Number(process.hrtime.bigint() - start) / 1e9
  const bytes = paths.reduce((sum, path) => sum + statSync(disk.root + path).size, 0)
  return bytes / seconds
}
