// SPDX-License-Identifier: MIT
// A session of PostgreSQL for measurements. Who asked and got no answer for long has no session any more: what was asked may
// have been done.
import pg from 'pg'
import { firstThatTakesWrites } from '../../storage/postgres-hosts.ts'

const CONNECT_WITHIN_MS = 5_000
const ANSWER_WITHIN_MS = 20_000
/**
 * So many seconds after a machine has gone without a word its session ends; one that hangs in the midst of a transaction holds
 * what it locked for half a minute. Whoever holds a table is not waited for long.
 */
const SETTINGS = `set tcp_keepalives_idle = 2; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3;
  set tcp_user_timeout = 5000; set idle_in_transaction_session_timeout = 30000; set lock_timeout = 5000;
  set client_min_messages = warning`

const { INT8, BYTEA } = pg.types.builtins
const PARSERS: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  // \x and two letters for each.
  [BYTEA]: (text) => Buffer.from(text.slice(2), 'hex'),
}

export type Connection = {
  /** Rows of one statement: numbers, texts and bytes. */
  rows<Row extends readonly unknown[]>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Any number of statements without values. */
  run(text: string): Promise<void>
  /** All or nothing. */
  transaction<T>(work: () => Promise<T>, kind?: 'read only'): Promise<T>
  isEnded(): boolean
  takesWrites(): Promise<boolean>
  end(): Promise<void>
}

/** To the first of the URL's hosts that takes writes. */
export const connect = (url: string): Promise<Connection> => firstThatTakesWrites(url, connectTo)

async function connectTo(connectionString: string): Promise<Connection> {
  const client = new pg.Client({
    connectionString,
    application_name: 'farmstead measurements',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    types: { getTypeParser: (oid: number) => PARSERS[oid] ?? String },
  })
  let isEnded = false
  const noteEnd = () => {
    isEnded = true
  }
  client.on('error', noteEnd)
  client.on('end', noteEnd)
  await client.connect()

  /** Ends the session of who is not answered: pg itself would wait for ever. */
  async function within<T>(answer: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      noteEnd()
      void client.end().catch(() => {})
    }, ANSWER_WITHIN_MS)
    try {
      return await answer
    } finally {
      clearTimeout(timer)
    }
  }

  const run = async (text: string) => {
    await within(client.query(text))
  }
  const rows: Connection['rows'] = async <Row extends readonly unknown[]>(
    text: string,
    values: readonly unknown[] = [],
  ) => {
    const answer = await within(
      client.query<unknown[]>({ text, values: [...values], rowMode: 'array' }),
    )
    return answer.rows as unknown as Row[]
  }
  await run(SETTINGS)
  return {
    rows,
    run,
    async transaction(work, kind) {
      await run(kind ? 'begin isolation level repeatable read read only' : 'begin')
      try {
        const done = await work()
        await run('commit')
        return done
      } catch (error) {
        if (!isEnded) await run('rollback').catch(noteEnd)
        throw error
      }
    },
    isEnded: () => isEnded,
    async takesWrites() {
      const [row] = await rows<[string]>('select pg_is_in_recovery()::text')
      return row?.[0] === 'false'
    },
    async end() {
      isEnded = true
      await client.end().catch(() => {})
    },
  }
}
