// SPDX-License-Identifier: MIT
// One of several control planes on one database: it waits in front of the leader until it leads itself. Then it is the
// service as it always is, and takes in what the others hand on to it.
import { randomBytes } from 'node:crypto'
import type { Server as HttpServer } from 'node:http'
import { enterFolderAsService } from '../db/lock.ts'
import { type LeaderRow, type LeadersStore, stand } from '../db/postgres/election.ts'
import type { Config } from '../environment/config.ts'
import { keepCopy } from '../metrics-store/standby.ts'
import { type Held, openFront } from './front.ts'
import type { Listener } from './preface.ts'
import { openPrivatePort, type Role } from './private-port.ts'
import { type SharedKeys, takeSharedKeys } from './shared-keys.ts'

type Deps = {
  config: Config & { databaseUrl: string }
  now: () => number
  say: (sentence: string) => void
  /** The database is lost: nothing that this process knows counts any more. */
  onEnded: () => void
}
export type Leading = {
  store: LeadersStore
  /** Before anything is made of the data folder's. */
  takeKeys(): Promise<void>
  /** Its keys are everybody's, and its ports are free. */
  takeOver(): Promise<void>
  /** It answers, also those who came while nobody led. `onError`: of keys that could not be looked at. */
  lead(
    servers: Readonly<Record<Listener, HttpServer>>,
    onError: (error: unknown) => void,
  ): Promise<void>
  close(): Promise<void>
}

/** Resolves when this process leads. */
export async function untilItLeads(deps: Deps, signal?: AbortSignal): Promise<Leading> {
  const { config, now, say, onEnded } = deps
  const { databaseUrl, replica, host, port, agent } = config
  const copying = replica && copyMeasurements(config, say)
  const front =
    replica && (await openFront({ places: { console: { host, port }, agents: agent }, now }))
  let role: Role = { name: 'follower', hasLeader: false }
  const privatePort =
    replica &&
    (await openPrivatePort({
      ...{ port: replica.port, now },
      role: () => role,
      onError: (error) => say(`The replicas' port failed: ${error}.`),
    }))
  let waiting: Held[] = []
  let keys: SharedKeys | undefined
  let stopLooking: (() => void) | undefined
  const close = async () => {
    stopLooking?.()
    front?.close()
    await privatePort?.close()
  }
  say('It waits until it leads: one replica does, the others hand connections on to it.')
  try {
    const store = await stand(
      databaseUrl,
      {
        onLeader: (leader) => {
          const to = leader && leaderAt(leader)
          front?.setLeader(to)
          role = { name: 'follower', hasLeader: to !== null }
          say(to ? `The leader is at ${leader?.address}.` : 'No leader is up.')
        },
        onTrouble: (error) => say(`PostgreSQL cannot be asked who leads: ${reasonOf(error)}`),
      },
      signal,
    )
    front?.setLeader(null)
    await copying?.stop()
    say('It leads.')
    store.onEnded(onEnded)
    return {
      store,
      async takeKeys() {
        const { dataDir, secretsKeyFile } = config
        keys = await takeSharedKeys({ db: store.db, dataDir, secretsKeyFile })
      },
      async takeOver() {
        // Those that a first start made: before anybody could get anything of it.
        await keys?.look()
        waiting = front?.release() ?? []
      },
      async lead(servers, onError) {
        stopLooking = keys?.keepLooking(onError)
        const key = randomBytes(32).toString('hex')
        privatePort?.lead({ key, servers })
        role = { name: 'leader' }
        for (const { listener, socket } of waiting.splice(0)) {
          if (socket.destroyed) continue
          servers[listener].emit('connection', socket)
          socket.resume()
        }
        await store.lead({ address: replica?.address ?? null, key })
      },
      close,
    }
  } catch (error) {
    await Promise.all([close(), copying?.stop()])
    throw error
  }
}

/** As long as it follows, and in a folder that nobody else works in. */
function copyMeasurements({ dataDir, databaseUrl }: Deps['config'], say: Deps['say']) {
  const leaveFolder = enterFolderAsService(dataDir)
  const copy = keepCopy({ dataDir, url: databaseUrl }, (reason) =>
    say(`Measurements were not read from PostgreSQL: ${reason}`),
  )
  return {
    async stop(): Promise<void> {
      await copy.stop()
      leaveFolder()
    },
  }
}

function leaderAt({ address, key }: LeaderRow) {
  if (address === null) return null
  const { hostname, port } = new URL(`tcp://${address}`)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), key }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
