// SPDX-License-Identifier: MIT
// A PostgreSQL of one's own: Debian's programs, a folder that goes with it, and nothing of what the machine may run besides.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const INSTALLED = '/usr/lib/postgresql'
const isRoot = process.getuid?.() === 0

function program(name: string): string {
  const [newest] = readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a))
  return join(INSTALLED, newest ?? '', 'bin', name)
}

/** It refuses to be run by root. */
function run(name: string, args: readonly string[]): void {
  const words = [program(name), ...args]
  const asOther = ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--clear-groups']
  const [first = '', ...more] = isRoot ? [...asOther, ...words] : words
  execFileSync(first, more, { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' })
}

export class PostgresServer {
  /** Its socket is here, too. */
  readonly #dir: string
  readonly #data: string
  readonly port: number
  constructor(port: number, within: string) {
    this.#dir = mkdtempSync(join(within, 'farmstead-postgres-'))
    this.#data = join(this.#dir, 'data')
    this.port = port
    if (isRoot) chownSync(this.#dir, ...idsOfPostgres())
    chmodSync(this.#dir, 0o700)
  }

  init(): void {
    const how = ['-A', 'trust', '-U', 'farmstead', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
    run('initdb', ['-D', this.#data, ...how])
  }

  /** As a standby of another one. */
  copy(primary: PostgresServer): void {
    const from = ['-h', '127.0.0.1', '-p', `${primary.port}`, '-U', 'farmstead']
    run('pg_basebackup', [
      '-D',
      this.#data,
      '-R',
      '-X',
      'stream',
      '--no-sync',
      '-c',
      'fast',
      ...from,
    ])
  }

  start(settings: Readonly<Record<string, string>>): void {
    const all = {
      fsync: 'off',
      // Beside its data, so that it goes with them.
      dynamic_shared_memory_type: 'mmap',
      port: `${this.port}`,
      unix_socket_directories: this.#dir,
      ...settings,
    }
    const said = Object.entries(all).map(([name, value]) => `-c ${name}='${value}'`)
    run('pg_ctl', [
      '-D',
      this.#data,
      '-w',
      '-l',
      join(this.#dir, 'log'),
      '-o',
      said.join(' '),
      'start',
    ])
  }

  promote(): void {
    run('pg_ctl', ['-D', this.#data, '-w', 'promote'])
  }

  /** At once, as when its machine is gone. */
  stop(): void {
    try {
      run('pg_ctl', ['-D', this.#data, '-m', 'immediate', 'stop'])
    } catch {
      // It did not run, or does no more.
    }
  }

  remove(): void {
    this.stop()
    rmSync(this.#dir, { recursive: true, force: true })
  }

  /** By its socket. */
  url(database = 'postgres'): string {
    return `postgres://farmstead@localhost:${this.port}/${database}?host=${this.#dir}`
  }
}

function idsOfPostgres(): [uid: number, gid: number] {
  const line = /^postgres:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0] ?? ''
  const [, , uid, gid] = line.split(':')
  return [Number(uid), Number(gid)]
}
