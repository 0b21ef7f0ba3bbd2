// SPDX-License-Identifier: MIT
// Where control.db is: DATABASE_URL, as the field has it and so not a name of ours, or a file that holds it, for whoever may
// inspect a process or a container reads its environment.
import { readFileSync } from 'node:fs'

type Read = (name: string) => string | undefined

const URL_OF_A_DATABASE = /^postgres(?:ql)?:\/\/[^/?#\s]+\/[^/?#\s]+(?:\?\S*)?$/
const LEAVE_OUT = 'leave it out for SQLite in FARMSTEAD_DATA_DIR'

export const namesDatabase = (read: Read): boolean =>
  (read('DATABASE_URL') ?? read('FARMSTEAD_DATABASE_URL_FILE')) !== undefined

/** null: SQLite in the data folder. */
export function databaseUrl(read: Read, problems: string[]): string | null {
  const given = read('DATABASE_URL')
  const file = read('FARMSTEAD_DATABASE_URL_FILE')
  if (given !== undefined && file !== undefined) {
    problems.push('DATABASE_URL and FARMSTEAD_DATABASE_URL_FILE name one database: set one of them')
  }
  if (given !== undefined) return checked(given, 'DATABASE_URL', problems)
  if (file === undefined) return null
  try {
    return checked(
      readFileSync(file, 'utf8').trim(),
      `FARMSTEAD_DATABASE_URL_FILE: ${file}`,
      problems,
    )
  } catch {
    problems.push(`FARMSTEAD_DATABASE_URL_FILE names a file that cannot be read, ${file}`)
    return ''
  }
}

/** Without what was given: it may hold a password, and problems are printed. */
function checked(url: string, from: string, problems: string[]): string {
  if (URL_OF_A_DATABASE.test(url)) return url
  const must = from === 'DATABASE_URL' ? 'must be' : 'must hold'
  problems.push(`${from} ${must} a postgres:// URL with user, host and database; ${LEAVE_OUT}`)
  return url
}
