// SPDX-License-Identifier: MIT
// Kills the real service at random points while it is written over HTTP, many times, and looks after each at
// what it said it had stored.
//   node test/durability/run.ts [--kills 300] [--seed N]
// The seed decides what is drawn; the machine still decides how fast things are.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Sqlite from 'better-sqlite3'
import { seededRandom } from '../../src/base/seeded-random.ts'
import { oneTimePassword, startService } from '../service-process.ts'
import { Ledger } from './ledger.ts'
import { Session } from './session.ts'

const NODE_BINARY = resolve(import.meta.dirname, '../../../server-c/build/release/farmstead-node')
const WRITERS = 4
const LONGEST_LIFE_MS = 800
const PASSWORD = 'a long password of the kills'

export type Report = {
  kills: number
  acknowledged: number
  /** Writes whose answer the kill swallowed, and that were found stored. */
  unanswered: number
  wrong: string[]
}
type Options = { kills: number; seed: number; say?: (line: string) => void }

export async function killOften({ kills, seed, say = () => {} }: Options): Promise<Report> {
  const home = mkdtempSync(join(tmpdir(), 'farmstead-durability-'))
  const dataDir = join(home, 'data')
  const env = {
    PATH: process.env.PATH,
    FARMSTEAD_DATA_DIR: dataDir,
    // A start is most of what a kill costs.
    NODE_COMPILE_CACHE: join(home, 'compiled'),
    FARMSTEAD_PORT: '0',
    FARMSTEAD_AGENT_PORT: '0',
    FARMSTEAD_AGENT_URL: 'http://127.0.0.1:1',
    FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
    FARMSTEAD_NODE_BINARY: NODE_BINARY,
    FARMSTEAD_LOG_LEVEL: 'fatal',
  }
  const random = seededRandom(seed)
  const ledger = new Ledger()
  const wrong: string[] = []
  let service = await startService(env)
  try {
    const session = await Session.first(service.url, oneTimePassword(env), PASSWORD)
    await ledger.begin(session)
    for (let kill = 1; kill <= kills; kill++) {
      const writing = Array.from({ length: WRITERS }, (_, i) => ledger.write(session, i, random))
      await sleep(random() * LONGEST_LIFE_MS)
      service.child.kill('SIGKILL')
      await service.ended
      await Promise.all(writing)
      wrong.push(...soundness(dataDir).map((what) => `after kill ${kill}: ${what}`))
      service = await startService(env)
      await session.continueAt(service.url)
      wrong.push(...(await ledger.check(session)).map((what) => `after kill ${kill}: ${what}`))
      if (kill % 25 === 0) say(`${kill} kills, ${ledger.acknowledged} writes acknowledged`)
    }
    const { acknowledged, unanswered } = ledger
    return { kills, acknowledged, unanswered, wrong }
  } finally {
    service.child.kill('SIGKILL')
    await service.ended
    rmSync(home, { recursive: true, force: true })
  }
}

/** Before anything has opened it again: as the kill left it, with its write-ahead log. */
function soundness(dataDir: string): string[] {
  const sqlite = new Sqlite(join(dataDir, 'control.db'))
  try {
    const found = sqlite.pragma('integrity_check', { simple: true })
    const dangling = sqlite.pragma('foreign_key_check') as unknown[]
    return [
      ...(found === 'ok' ? [] : [`integrity_check says ${found}`]),
      ...(dangling.length === 0 ? [] : [`${dangling.length} rows refer to nothing`]),
    ]
  } finally {
    sqlite.close()
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { kills: { type: 'string', default: '300' }, seed: { type: 'string' } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const say = (line: string) => process.stdout.write(`${line}\n`)
  say(`seed ${seed}`)
  const report = await killOften({ kills: Number(values.kills), seed, say })
  for (const what of report.wrong) say(`WRONG ${what}`)
  say(
    `${report.kills} kills: ${report.acknowledged} writes were acknowledged and are there, ${report.unanswered} of those that got no answer are there too; ${report.wrong.length} findings`,
  )
  process.exitCode = report.wrong.length === 0 ? 0 : 1
}

if (import.meta.main) await main()
