// SPDX-License-Identifier: MIT
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isOnPostgres } from '../../postgres.ts'
import { ask, newDatabase, newFolder, startReplica, T0, windowOf } from './replica.ts'

const HOUR_MS = 3_600_000
const T0_SECONDS = T0 / 1000

/** Of the ring of 10 s: at which hours after T0 they begin. */
async function hoursOf(url: string): Promise<number[]> {
  const rows = await ask(
    url,
    `select relname from pg_inherits join pg_class on oid = inhrelid
     where inhparent = 'metrics_ring_10'::regclass and relkind = 'r'`,
  )
  return rows
    .map(({ relname }) => (Number(String(relname).split('_p')[1]) - T0_SECONDS) / 3600)
    .sort((a, b) => a - b)
}

const rowsOf = async (url: string, table: string) =>
  (await ask(url, `select count(*)::int as n from metrics_${table}`))[0]?.n

describe.runIf(isOnPostgres)('parts of the tables in PostgreSQL', () => {
  it('are made before their time, and dropped whole when their ring has outlived them', async () => {
    const url = await newDatabase()
    const replica = await startReplica({ dataDir: newFolder(), url })
    for (let hour = 0; hour < 8; hour++) {
      const nowMs = T0 + hour * HOUR_MS + 5_000
      await replica.take([windowOf(hour + 1, nowMs, [0.1])], nowMs)
      await replica.rollUp(nowMs)
      await replica.prune(nowMs)
      await expect.poll(() => hoursOf(url)).toContain(hour + 1)
    }
    // Six hours are kept, so that of the first one nothing is wanted at seven.
    expect(await hoursOf(url)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    const nextDay = T0 + 40 * HOUR_MS
    await replica.take([windowOf(9, nextDay, [0.1])], nextDay)
    await replica.prune(nextDay)
    await expect.poll(() => hoursOf(url)).toEqual([40, 41])
    expect(await rowsOf(url, 'ring_10')).toBe(1)
    // Of the node and of the farm, each hour but the last.
    expect(await rowsOf(url, 'ring_60')).toBe(14)
  })

  // https://github.com/pgpartman/pg_partman/issues/796, and what came of one that made and dropped in one transaction:
  // https://github.com/propeller-heads/tycho/pull/1323
  it('are made while somebody reads for long, and dropped when nobody does', async () => {
    const url = await newDatabase()
    const replica = await startReplica({ dataDir: newFolder(), url })
    await replica.take([windowOf(1, T0, [0.1])], T0)
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    onTestFinished(() => reader.end())
    await reader.query('begin; select count(*) from metrics_ring_10')
    const later = T0 + 10 * HOUR_MS
    await replica.prune(later)
    await expect.poll(() => hoursOf(url)).toEqual([0, 11])
    const nowMs = later + 2 * HOUR_MS
    expect(await replica.take([windowOf(2, nowMs, [0.1])], nowMs)).toMatchObject({
      acknowledgedSeq: 2,
    })
    expect(await hoursOf(url)).toEqual([0, 11, 12])
    await reader.query('commit')
    await replica.prune(nowMs)
    await expect.poll(() => hoursOf(url)).toEqual([11, 12, 13])
    expect(replica.troubles).toEqual([])
  })

  // https://github.com/pgpartman/pg_partman/issues/227: after a long time without any the next row found no part.
  it('are there for a row of any time, and none is for all that fit nowhere', async () => {
    const url = await newDatabase()
    const replica = await startReplica({ dataDir: newFolder(), url })
    const days = [0, 40, 41, 300]
    for (const [i, day] of days.entries()) {
      const nowMs = T0 + day * 24 * HOUR_MS
      await replica.take([windowOf(2 * i + 1, nowMs, [0.1])], nowMs)
      await replica.take([windowOf(2 * i + 2, nowMs - 5 * HOUR_MS, [0.1])], nowMs)
    }
    expect(await rowsOf(url, 'ring_10')).toBe(8)
    expect(
      await ask(
        url,
        `select count(*)::int as n from pg_class where relpartbound is not null
        and pg_get_expr(relpartbound, oid) = 'DEFAULT'`,
      ),
    ).toEqual([{ n: 0 }])
  })
})
