// SPDX-License-Identifier: MIT
// What a request is, and what keeps a config.
import type { FastifyRequest } from 'fastify'
import type { Source } from './schema.ts'

type Caller = Pick<FastifyRequest, 'headers' | 'user'>

/** What called: farmctl says so, a token is a program, a session is the console. */
export function sourceOf({ headers, user }: Caller, imported: boolean): Source {
  if (imported) return 'import'
  if (String(headers['farmstead-client'] ?? '').startsWith('farmctl/')) return 'cli'
  return user?.token ? 'api' : 'ui'
}

type Uses = { releases: number; rollouts: number; assignments: number }

/** In words; empty: nothing ever had to do with the config. */
export function describeUses({ releases, rollouts, assignments }: Uses): string[] {
  const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
  return [
    ...(releases > 0 ? [`it was released to new nodes ${times(releases)}`] : []),
    ...(rollouts > 0 ? [`it was rolled out ${times(rollouts)}`] : []),
    ...(assignments > 0 ? [`it was given to nodes ${times(assignments)}`] : []),
  ]
}
