// SPDX-License-Identifier: MIT
// A disk that nodes are held to a rate of (the bench's), with files for each that nobody has read yet.
import { mkdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import {
  openDisk,
  Throttle,
  type ThrottledDisk,
  whyNot,
} from '../../server-c/bench/slow-disk-disk.mjs'

const FILE_BYTES = 4096
/** Of all nodes together. */
const READS_PER_SECOND_OF_NODE = 20
/** More than the rollout takes, so that each file is asked for once. */
const FILES_OF_NODE = 3000
const ALL_CORES = `0-${availableParallelism() - 1}`

export class SlowDisk {
  static readonly whyNot = whyNot
  readonly #disk: ThrottledDisk
  readonly #throttle: Throttle

  private constructor(disk: ThrottledDisk, throttle: Throttle) {
    this.#disk = disk
    this.#throttle = throttle
  }

  static open(home: string, nodes: number): SlowDisk {
    const folder = join(home, 'slow-disk')
    mkdirSync(folder, { recursive: true })
    const paths = Array.from({ length: nodes * FILES_OF_NODE }, (_, i) => `/cold/${i}.bin`)
    const disk = openDisk(folder, { name: 'cold', bytes: FILE_BYTES, paths }, false)
    // Its inodes are in memory: what is slow is to read, not to look up.
    for (const path of paths) statSync(join(disk.root, path))
    const bytes = nodes * READS_PER_SECOND_OF_NODE * FILE_BYTES
    return new SlowDisk(disk, new Throttle(disk, { bytes }))
  }

  get root(): string {
    return this.#disk.root
  }

  get wrap(): string[] {
    return this.#throttle.wrap(ALL_CORES)
  }

  /** What load.lua asks the `nth` node for. */
  wordsOf(host: string, nth: number): string[] {
    const first = nth * FILES_OF_NODE
    return [`${host}/cold/`, String(first), String(first + FILES_OF_NODE - 1)]
  }

  hold(): void {
    this.#throttle.hold()
  }

  lift(): void {
    this.#throttle.lift()
  }

  close(): void {
    this.lift()
    this.#disk.close()
    this.#throttle.close()
  }
}
