// SPDX-License-Identifier: MIT
// Why the service cannot run, in one sentence with the remedy. null: nobody foresaw it, show the stack.
import { AppError } from '../api-shapes/errors.ts'
import { KeyFileRefused } from '../base/key-file.ts'
import { ConfigRefused } from '../environment/config.ts'

type Listener = { address: string; variable: string }

const textOf = (error: unknown, name: string): string | undefined => {
  if (typeof error !== 'object' || error === null) return undefined
  const value: unknown = Reflect.get(error, name)
  return value === undefined ? undefined : String(value)
}

export function explainFailure(error: unknown, dataDir: string | undefined): string | null {
  const isForeseen =
    error instanceof ConfigRefused || error instanceof KeyFileRefused || error instanceof AppError
  if (isForeseen) return error.message
  const folder = dataDir ?? 'the data folder'
  const path = textOf(error, 'path') ?? folder
  switch (textOf(error, 'code')) {
    case 'ENOSPC':
    case 'SQLITE_FULL':
      return `The disk that holds ${folder} is full. Make room, then start again; nothing was lost.`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
      return `${path} cannot be written. Give this user the right to, or set FARMSTEAD_DATA_DIR to another folder.`
    case 'ENOTDIR':
    case 'EEXIST':
      return `${path} is not a folder. Set FARMSTEAD_DATA_DIR to one.`
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
      return `A database in ${folder} is damaged. Restore a backup; the nodes go on serving meanwhile.`
    case '53100':
      return 'The disk of PostgreSQL is full. Make room, then start again; nothing was lost.'
    case '55P03':
      return 'Another process holds the database in PostgreSQL. Wait until it is done, or stop it.'
    case 'SQLITE_BUSY':
      return `Another process holds the database in ${folder}. Wait until it is done, or stop it.`
    default:
      return explainPostgres(error)
  }
}

/** Of who can't get into PostgreSQL. Its own words say which database, host or user. */
const REMEDIES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start it, or correct host and port in DATABASE_URL.',
  ENOTFOUND: 'Correct the host in DATABASE_URL.',
  ETIMEDOUT: 'Let this machine through to it, or correct host and port in DATABASE_URL.',
  ECONNRESET: 'Its log may tell more; then try again.',
  '28P01': 'Correct user and password: DATABASE_URL, PGPASSWORD or ~/.pgpass.',
  '28000': 'Let this user in from this machine (pg_hba.conf), or correct the user in DATABASE_URL.',
  '3D000': 'Make it (docs/postgresql.md), or correct the name in DATABASE_URL.',
  '42501': 'Make this user the owner of the database, or grant it the right.',
  '53100': 'Make room on its disk.',
  '53300': 'Raise its max_connections, or end others’ sessions.',
  '57P01': 'It was stopped, or somebody ended the session: try again when it is up.',
  '57P03': 'It is starting or stopping: try again when it is up.',
}

/** pg's words, and those of db/postgres/session.ts. */
const ENDED = /^(?:Connection terminated|The connection to PostgreSQL has ended)/

function explainPostgres(error: unknown): string | null {
  if (ENDED.test(textOf(error, 'message') ?? '')) {
    return 'The connection to PostgreSQL ended in the middle. Its log may tell why; try again when it is up.'
  }
  const remedy = REMEDIES[textOf(error, 'code') ?? '']
  if (remedy === undefined) return null
  // Of a name with several addresses each has failed, and the whole says nothing.
  const [first] = error instanceof AggregateError ? error.errors : [error]
  return `PostgreSQL cannot be used: ${textOf(first, 'message')}. ${remedy}`
}

/** A port that cannot be had. */
export function explainListen(error: unknown, { address, variable }: Listener): string | null {
  switch (textOf(error, 'code')) {
    case 'EADDRINUSE':
      return `${address} is taken. Stop what listens there, or set ${variable} to a free port.`
    case 'EADDRNOTAVAIL':
      return `${address} is no address of this machine. Set ${variable.replace('_PORT', '_HOST')} to one that is.`
    case 'EACCES':
      return `This user may not listen on ${address}. Set ${variable} to a port of 1024 or above.`
    default:
      return null
  }
}
