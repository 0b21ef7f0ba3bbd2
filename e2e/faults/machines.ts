// SPDX-License-Identifier: MIT
// Namespaces of the kernel that stand for machines: a small disk of a node's own, a network of its own.
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { HOST } from '../real-farm/host.ts'
import { enter, hold } from '../real-farm/namespaces.ts'
import type { Child } from '../real-farm/processes.ts'

const run = promisify(execFile)
const PAGE_BYTES = 4096
/** A disk is filled with these first. */
const LARGE_BYTES = 1024 * 1024
const SHRUNK_ROOM_BYTES = 80 * 1024 * 1024

/** A disk of `bytes` at `dir`, which only who is run by `wrap` sees there. */
export class SmallDisk {
  readonly dir: string
  readonly #bytes: number
  readonly #holder: Child

  private constructor(dir: string, bytes: number, holder: Child) {
    this.dir = dir
    this.#bytes = bytes
    this.#holder = holder
  }

  static async make(dir: string, bytes: number, logFile: string): Promise<SmallDisk> {
    mkdirSync(dir, { recursive: true })
    const script = `mount -t tmpfs -o size=${bytes} tmpfs "$0" && echo ready && exec cat`
    return new SmallDisk(
      dir,
      bytes,
      await hold(['unshare', '-m', 'sh', '-c', script, dir], logFile),
    )
  }

  get wrap(): string[] {
    return enter('m', this.#holder.pid)
  }

  /** Where this process sees what is at `path` of that machine. */
  seen(path: string): string {
    return join(`/proc/${this.#holder.pid}/root`, path)
  }

  get #filler(): string {
    return this.seen(join(this.dir, 'filler'))
  }

  /** To what is used and some more, so that the rest is soon filled: to fill a large disk would take as much memory. */
  async shrink(): Promise<void> {
    const { blocks, bfree, bsize } = await statfs(this.seen(this.dir))
    await this.#resize((blocks - bfree) * bsize + SHRUNK_ROOM_BYTES)
  }

  async grow(): Promise<void> {
    await this.#resize(this.#bytes)
  }

  async #resize(bytes: number): Promise<void> {
    const [program = '', ...words] = [
      ...this.wrap,
      'mount',
      '-o',
      `remount,size=${bytes}`,
      this.dir,
    ]
    await run(program, words)
  }

  /** To the last page but `pages`. */
  fill(pages: number): void {
    const filler = this.#filler
    for (const piece of [LARGE_BYTES, PAGE_BYTES]) append(filler, piece)
    truncateSync(filler, Math.max(0, statSync(filler).size - pages * PAGE_BYTES))
  }

  free(): void {
    rmSync(this.#filler, { force: true })
  }

  async end(): Promise<void> {
    await this.#holder.end('SIGKILL')
  }
}

/** As long as there is room. */
function append(path: string, piece: number): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(piece), { flag: 'a' })
  } catch {
    // There is none left for one more; a smaller one may still go.
  }
}

type Ways = { dir: string; logFile: string; controlPlanePort: number; nodePort: number }

/**
 * A network with nothing in it but a way to the control plane's port and a way in to the node's, both
 * through sockets in `dir`.
 */
export class OwnNetwork {
  readonly socketPath: string
  readonly #holder: Child
  readonly #server: Server

  private constructor(socketPath: string, holder: Child, server: Server) {
    this.socketPath = socketPath
    this.#holder = holder
    this.#server = server
  }

  /** `take` gets the connections that the node makes. */
  static async make(
    { dir, logFile, controlPlanePort, nodePort }: Ways,
    take: (socket: Socket) => void,
  ): Promise<OwnNetwork> {
    mkdirSync(dir, { recursive: true })
    const out = join(dir, 'out.sock')
    const into = join(dir, 'in.sock')
    const server = createServer(take).listen(out)
    const relay = join(import.meta.dirname, 'relay.ts')
    const words = [process.execPath, relay, HOST, String(controlPlanePort), out]
    const script = 'ip link set lo up && exec "$@"'
    const command = ['unshare', '-n', 'sh', '-c', script, 'sh', ...words, String(nodePort), into]
    return new OwnNetwork(into, await hold(command, logFile), server)
  }

  get wrap(): string[] {
    return enter('n', this.#holder.pid)
  }

  async end(): Promise<void> {
    this.#server.close()
    await this.#holder.end('SIGKILL')
  }
}
