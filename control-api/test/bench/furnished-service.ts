// SPDX-License-Identifier: MIT
// A folder for a service of its own, with a released version and somebody who may sign in: for benches that start it as
// a process.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { COMPILED } from '../compiled.ts'
import { PROGRAMS } from '../programs.ts'
import { oneTimePassword } from '../service-process.ts'

export const CONFIG = 'default'

type Wish = { within: string; name: string; nodeBinary: string; textOf: (home: string) => string }

/** `env` is what the service is to be started with; agents come to `port`. */
export async function furnishService({ within, name, nodeBinary, textOf }: Wish) {
  const home = mkdtempSync(join(within, name))
  const port = await freePort()
  const dataDir = join(home, 'data')
  const { DATABASE_URL } = process.env
  const plain = {
    PATH: process.env.PATH,
    FARMSTEAD_DATA_DIR: dataDir,
    FARMSTEAD_PORT: '0',
    FARMSTEAD_AGENT_PORT: String(port),
    FARMSTEAD_NODE_BINARY: nodeBinary,
    FARMSTEAD_LOG_LEVEL: 'error',
    ...COMPILED,
    // An empty database of PostgreSQL, to measure with that.
    ...(DATABASE_URL && { DATABASE_URL }),
  }
  // --cpu-prof, to see where the service's time goes.
  const { NODE_OPTIONS } = process.env
  const env = { ...plain, ...(NODE_OPTIONS && { NODE_OPTIONS }) }
  mkdirSync(join(home, 'site'))
  const first = join(home, 'first.json')
  const text = textOf(home)
  writeFileSync(first, text)
  const words = ['--name', CONFIG, '--file', first, '--message', 'first', '--release']
  execFileSync(process.execPath, [PROGRAMS.admin, 'import-config', ...words], { env: plain })
  return { home, port, dataDir, text, env, password: oneTimePassword(plain) }
}
