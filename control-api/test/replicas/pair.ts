// SPDX-License-Identifier: MIT
// A primary of PostgreSQL and its standby, which has each commit before it is acknowledged.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { tempDir } from '../helper.ts'

const [newest = ''] = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))
const program = (name: string) => join('/usr/lib/postgresql', newest, 'bin', name)
const SETTINGS = '-c fsync=off -c wal_level=replica -c listen_addresses=127.0.0.1 -c hot_standby=on'

/** It refuses to be run by root. */
function run(name: string, args: string[]): void {
  const words = [program(name), ...args]
  const isRoot = process.getuid?.() === 0
  const asOther = ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--clear-groups']
  const [first = '', ...more] = isRoot ? [...asOther, ...words] : words
  execFileSync(first, more, { stdio: ['ignore', 'ignore', 'inherit'], cwd: '/' })
}

/** Whose folders may be of no other mode. */
function folderOfPostgres(): string {
  const dir = tempDir()
  if (process.getuid?.() === 0) {
    const [, , uid = '0', gid = '0'] =
      /^postgres:(.*)$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0]?.split(':') ?? []
    chownSync(dir, Number(uid), Number(gid))
  }
  chmodSync(dir, 0o700)
  return dir
}

export async function aPair() {
  const [first, second] = [folderOfPostgres(), folderOfPostgres()]
  const [port, otherPort] = [await freePort(), await freePort()]
  const data = (dir: string) => join(dir, 'data')
  const start = (dir: string, at: number, more = '') =>
    run('pg_ctl', [
      ...['-D', data(dir), '-w', '-l', join(dir, 'log')],
      ...['-o', `${SETTINGS} -c port=${at} -c unix_socket_directories=${dir} ${more}`, 'start'],
    ])
  const stop = (dir: string) => {
    try {
      run('pg_ctl', ['-D', data(dir), '-m', 'immediate', 'stop'])
    } catch {
      // It is not running any more.
    }
  }
  onTestFinished(() => {
    stop(first)
    stop(second)
  })
  run('initdb', ['-D', data(first), '--no-sync', '-A', 'trust', '-U', 'farmstead', '-E', 'UTF8'])
  start(first, port, "-c synchronous_standby_names='*'")
  run('pg_basebackup', [
    ...['-D', data(second), '-R', '-X', 'stream', '--no-sync', '-c', 'fast'],
    ...['-h', '127.0.0.1', '-p', `${port}`, '-U', 'farmstead'],
  ])
  start(second, otherPort)
  return {
    url: `postgres://farmstead@127.0.0.1:${port},127.0.0.1:${otherPort}/postgres`,
    /** As when its machine is gone. */
    killPrimary: () => stop(first),
    promote: () => run('pg_ctl', ['-D', data(second), '-w', 'promote']),
  }
}
