// SPDX-License-Identifier: MIT
// What was measured before its control plane was moved to PostgreSQL is there, too, once it has been started from its folder.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import type { Window } from '../../src/agent-protocol/messages.gen.ts'
import { SCALE } from '../../src/histogram/histogram.ts'
import { Session } from '../durability/session.ts'
import { tempDir } from '../helper.ts'
import { histogramOf } from '../histogram-of.ts'
import { isOnPostgres } from '../postgres.ts'
import { serverEnv, startServer } from '../processes.ts'
import { oneTimePassword } from '../service-process.ts'
import { SimulatedNode } from '../simulated-node.ts'
import { askedOf, aTarget, move } from './moving.ts'

const LONG = { timeout: 60_000 }
const SERIES: Window['series'] = [
  {
    ...{ generation: 0, counters: { requests: 1 } },
    stages: { total: { scale: SCALE, ...histogramOf([0.1]) } },
  },
]

test.skipIf(!isOnPostgres)(
  'what was measured goes along with a control plane that is moved',
  async () => {
    const dataDir = tempDir()
    const port = await freePort()
    const env = { FARMSTEAD_AGENT_PORT: `${port}`, FARMSTEAD_LOG_LEVEL: 'fatal' }
    const first = await startServer(dataDir, env)
    const password = oneTimePassword({ ...process.env, ...serverEnv(dataDir), DATABASE_URL: '' })
    const session = await Session.first(first.url, password, 'a long password of the move')
    const { body } = await session.must('POST', '/enrolment-tokens', {})
    const node = await SimulatedNode.join(`http://127.0.0.1:${port}`, `${body.secret}`, 'edge-1')
    await node.hello()
    for (let i = 0; i < 3; i++) await node.report(SERIES)
    first.child.kill('SIGTERM')
    await first.ended

    const url = await aTarget()
    const { code, stderr } = await move(dataDir, url).ended
    expect([code, stderr]).toEqual([0, ''])
    const second = await startServer(dataDir, { ...env, DATABASE_URL: url })
    await session.continueAt(second.url)
    const left = async () => {
      const [made] = await askedOf(url, `select to_regclass('metrics_taken')::text as name`)
      return made?.name ? await askedOf(url, 'select seq from metrics_taken') : []
    }
    await expect.poll(left, LONG).toEqual([{ seq: 3 }])
    await node.hello()
    expect(await node.report(SERIES)).toBe(4)
    second.child.kill('SIGKILL')
    await second.ended

    // Nothing but the database is left of what was measured.
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(join(dataDir, `metrics.db${suffix}`), { force: true })
    }
    const third = await startServer(dataDir, { ...env, DATABASE_URL: url })
    await session.continueAt(third.url)
    const requests = async () => {
      const answer = await session.ask('GET', `/metrics/query?node=${node.id}`)
      // It may not be loaded yet.
      if (answer.status === 503) return null
      const { series } = answer.body as { series: { count: (number | null)[] }[] }
      const count = series[0]?.count ?? []
      return count.reduce((sum: number, n) => sum + (n ?? 0), 0)
    }
    await expect.poll(requests, LONG).toBe(4)
  },
)
