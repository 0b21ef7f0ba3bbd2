// SPDX-License-Identifier: MIT
// One session of PostgreSQL, which is asked one question at a time, as SQLite is: what a transaction sees and what others wait
// for is the same with both (docs/decisions/0195).
import pg from 'pg'
import { firstThatTakesWrites } from '../../storage/postgres-hosts.ts'

/** Statements of one text that PostgreSQL keeps parsed and planned; lists of values of many lengths are of many texts. */
const MOST_NAMED = 1000
const CONNECT_WITHIN_MS = 5000
const KEPT_IDLE_MS = 2000

/** So many seconds after a machine has gone without a word its session, and the lock in it, ends. */
const KEPT_ALIVE = `set tcp_keepalives_idle = 2; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3;
  set tcp_user_timeout = 5000`

/** What comes back is what SQLite gives: numbers of 64 bits are Numbers, what is true is 1. */
const PARSERS: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.NUMERIC]: Number,
  [pg.types.builtins.BOOL]: (text) => (text === 't' ? 1 : 0),
}

/** Said to SQLite, whose planner has no figures of its own. */
const NAMED_INDEX = / indexed by \w+/g

const CHANGES_ROWS = new Set(['INSERT', 'UPDATE', 'DELETE'])

type Answer = { command: string; rowCount: number | null; rows: unknown[] }
/** What Kysely's dialect takes for a client of a pool. */
type Turn = { query(text: string, values?: readonly unknown[]): Promise<Answer>; release(): void }

/** It holds no NUL. */
const withoutNul = (value: unknown) =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value

export class SessionEnded extends Error {
  constructor(cause?: unknown) {
    super('The connection to PostgreSQL has ended.', { cause })
  }
}

/** A pooler gives one session's locks, and what it listens to, to another. */
export class PoolerBetween extends Error {
  readonly code = 'POOLER'
  constructor(host: string) {
    super(
      `What answers at ${host} is a pooler of connections (PgBouncer?), not PostgreSQL itself. The lock by which one control plane decides needs a connection of its own: name PostgreSQL in DATABASE_URL.`,
    )
  }
}

export type Session = Awaited<ReturnType<typeof openSession>>

/** To the first of the URL's hosts that takes writes. */
export const openSession = (url: string) => firstThatTakesWrites(url, openSessionTo)

async function openSessionTo(url: string) {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'farmstead',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEPT_IDLE_MS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    types: {
      getTypeParser: (oid, format) =>
        (format !== 'binary' && PARSERS[oid]) || pg.types.getTypeParser(oid, format),
    },
  })
  let ended: SessionEnded | null = null
  let isMeant = false
  const onEnd: (() => void)[] = []
  const onEnded: (() => void)[] = []
  const end = (cause?: unknown) => {
    if (ended) return
    ended = new SessionEnded(cause)
    for (const tell of onEnd) tell()
    if (!isMeant) for (const tell of onEnded) tell()
  }
  client.on('error', end)
  client.on('end', () => end())
  await client.connect()
  await client.query(KEPT_ALIVE)
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const { processID } = client as unknown as { processID: number }
  if (rows[0]?.pid !== processID) {
    await client.end()
    throw new PoolerBetween(new URL(url).host)
  }

  const names = new Map<string, string>()
  /** Asked twice is asked often. */
  let seenOnce = new Set<string>()
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MOST_NAMED) return known
    if (!seenOnce.has(text)) {
      if (seenOnce.size >= MOST_NAMED) seenOnce = new Set()
      seenOnce.add(text)
      return undefined
    }
    seenOnce.delete(text)
    names.set(text, `s${names.size}`)
    return names.get(text)
  }

  /** Rows that this session's statements changed; those of triggers are not in it. */
  let changed = 0
  let last: Promise<void> = Promise.resolve()
  const turn: Turn = {
    async query(given, values = []) {
      if (ended) throw ended
      const text = given.includes(' indexed by ') ? given.replaceAll(NAMED_INDEX, '') : given
      const name = values.length > 0 ? nameOf(text) : undefined
      const answers = await client.query({
        ...(name !== undefined && { name }),
        text,
        values: values.map(withoutNul),
      })
      // Of several statements in one text each has its own.
      const answer: Answer = Array.isArray(answers) ? answers.at(-1) : answers
      if (CHANGES_ROWS.has(answer.command)) changed += answer.rowCount ?? 0
      return answer
    },
    release: () => {},
  }
  return {
    /** Whoever asks while another's turn lasts waits. */
    async connect(): Promise<Turn> {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      await before
      if (ended) {
        resolve()
        throw ended
      }
      return { ...turn, release: resolve }
    },
    async end(): Promise<void> {
      await last
      isMeant = true
      if (!ended) await client.end()
    },
    /** At once, whatever is asked: the server may not answer any more. */
    drop(): void {
      end(new Error('It was dropped.'))
      // pg has no way to end without a word to the server.
      client.connection.stream.destroy()
    },
    takesWrites: async () =>
      !(await client.query('select pg_is_in_recovery() as it_does')).rows[0]?.it_does,
    /** However it ends. */
    onEnd: (tell: () => void) => void onEnd.push(tell),
    /** It ended without having been told to; once. */
    onEnded(tell: () => void): void {
      if (ended) tell()
      else onEnded.push(tell)
    },
    rowsChanged: () => changed,
    /** Of another session, at the moment. */
    onNotice: (channel: string, tell: (payload: string) => void) =>
      void client.on('notification', (notice) => {
        if (notice.channel === channel) tell(notice.payload ?? '')
      }),
  }
}
