// SPDX-License-Identifier: MIT
// Which replica decides. Who holds the advisory lock leads; the lock is in the session that writes, so that who has lost it
// can write no more (docs/decisions/0195).
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../store.ts'
import { storeIn } from './open.ts'
import { openSession, type Session } from './session.ts'

const LEADER = 7_120_197
const LOOKS_EVERY_MS = 1000
/** A leader that has said nothing for as long, in its own lines and in ours, hangs: its session is ended. */
const HANGS_AFTER_MS = 6000
/** Who is not answered for as long has lost the database, whatever it still believes. */
const ANSWERED_WITHIN_MS = 6000
const TRIED_EVERY_MS = 1000

/** Where the others reach the leader; null: it has not said so. */
export type LeaderRow = { address: string | null; key: string }
type Told = {
  /** null: there is none that is up. */
  onLeader: (leader: LeaderRow | null) => void
  /** Why it is not known who leads, once for each reason. */
  onTrouble: (error: unknown) => void
}
export type LeadersStore = Store & {
  /** It answers now: the others may hand on to it. */
  lead(own: { address: string | null; key: string }): Promise<void>
}

/** What no later try makes good: a wrong password, role or database, an address that is none, or one of a pooler. */
const FINAL = new Set(['28000', '28P01', '3D000', 'ERR_INVALID_URL', 'POOLER'])
export const isFinal = (error: unknown) =>
  error instanceof Error && 'code' in error && FINAL.has(String(error.code))

/** Resolves when this process leads. */
export async function stand(url: string, told: Told, signal?: AbortSignal): Promise<LeadersStore> {
  const watching = watch(url, told)
  try {
    for (;;) {
      signal?.throwIfAborted()
      try {
        return leadersStore(url, await lockedSession(url, signal))
      } catch (error) {
        if (isFinal(error) || signal?.aborted) throw error
        told.onTrouble(error)
        await sleep(TRIED_EVERY_MS)
      }
    }
  } finally {
    watching.stop()
  }
}

async function lockedSession(url: string, signal?: AbortSignal): Promise<Session> {
  const session = await openSession(url)
  const give = () => session.drop()
  signal?.addEventListener('abort', give, { once: true })
  try {
    // It may have been told to end while the session was opened.
    signal?.throwIfAborted()
    await ask(session, 'select pg_advisory_lock($1)', [LEADER])
    return session
  } catch (error) {
    session.drop()
    throw error
  } finally {
    signal?.removeEventListener('abort', give)
  }
}

function leadersStore(url: string, session: Session): LeadersStore {
  return {
    ...storeIn(session),
    async lead({ address, key }) {
      await ask(
        session,
        `insert into leader (id, pid, address, key, beat) values (1, pg_backend_pid(), $1, $2, 0)
         on conflict (id) do update set pid = excluded.pid, address = excluded.address, key = excluded.key`,
        [address, key],
      )
      beatFor(session, await openSession(url))
    },
  }
}

/** By a session of its own: that of the leader may wait for a transaction for longer than a leader may be silent. */
function beatFor(session: Session, heart: Session): void {
  let isAsked = false
  const beat = async () => {
    if (isAsked) return
    isAsked = true
    await answered(heart, () => ask(heart, 'update leader set beat = beat + 1'))
    isAsked = false
  }
  const timer = setInterval(() => void beat().catch(() => heart.drop()), LOOKS_EVERY_MS)
  timer.unref()
  // Who can't say that it lives is taken for dead, and had better be so.
  heart.onEnd(() => session.drop())
  session.onEnd(() => {
    clearInterval(timer)
    heart.drop()
  })
}

type Seen = {
  address: string | null
  key: string
  pid: number
  beat: number
  /** Of the session that has the lock. */
  holder: number | null
}

const SEEN = `
  select address, key, pid, beat, (
    select pid from pg_locks where locktype = 'advisory' and granted and objsubid = 1 and classid = 0 and objid = $1
      and database = (select oid from pg_database where datname = current_database()) limit 1
  ) as holder from leader`

/** By a session of its own: the other waits for the lock. */
function watch(url: string, { onLeader, onTrouble }: Told) {
  let isStopped = false
  let said: string | null = null
  /** Its last sign of life. */
  let beat = { pid: 0, count: -1, atMs: 0 }

  const tell = (leader: LeaderRow | null) => {
    if (isStopped) return
    const text = JSON.stringify(leader)
    if (text === said) return
    said = text
    onLeader(leader)
  }
  const look = async (session: Session) => {
    const [seen] = (await ask(session, SEEN, [LEADER])) as Seen[]
    const isUp = seen !== undefined && seen.holder === seen.pid
    if (!seen || !isUp) return tell(null)
    if (beat.pid !== seen.pid || beat.count !== seen.beat) {
      beat = { pid: seen.pid, count: seen.beat, atMs: performance.now() }
    } else if (performance.now() - beat.atMs > HANGS_AFTER_MS) {
      await ask(session, 'select pg_terminate_backend($1)', [seen.pid])
      return tell(null)
    }
    tell({ address: seen.address, key: seen.key })
  }
  const run = async () => {
    let lastTrouble = ''
    while (!isStopped) {
      let session: Session | null = null
      try {
        session = await openSession(url)
        while (!isStopped) {
          const beganMs = performance.now()
          const asked = session
          await answered(asked, () => look(asked))
          lastTrouble = ''
          await sleep(LOOKS_EVERY_MS)
          // We were not there ourselves: what we saw is old, and says nothing of the leader.
          if (performance.now() - beganMs > 2 * LOOKS_EVERY_MS) beat = { ...beat, count: -1 }
        }
      } catch (error) {
        tell(null)
        if (!isStopped && String(error) !== lastTrouble && !isNoTable(error)) onTrouble(error)
        lastTrouble = String(error)
        await sleep(TRIED_EVERY_MS)
      } finally {
        session?.drop()
      }
    }
  }
  void run()
  return {
    stop(): void {
      isStopped = true
    },
  }
}

/** A network that is gone answers nothing, and says nothing of it for a quarter of an hour. */
async function answered<T>(session: Session, work: () => Promise<T>): Promise<T> {
  const tooLate = setTimeout(() => session.drop(), ANSWERED_WITHIN_MS)
  try {
    return await work()
  } finally {
    clearTimeout(tooLate)
  }
}

/** Nobody has led here yet. */
const isNoTable = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === '42P01'

async function ask(session: Session, text: string, values: readonly unknown[] = []) {
  const turn = await session.connect()
  try {
    return (await turn.query(text, values)).rows
  } finally {
    turn.release()
  }
}
