// SPDX-License-Identifier: MIT
// The lists of a site as a node takes them: no more rules than it may have, and of those that keep people out none left out.
import type { Rule } from './draft.ts'

const MOST: Record<string, number> = {
  ...{ access: 256, aliases: 256, redirects: 256, rewrites: 256 },
  requestLimits: 16,
}
const mostOf = (key: string) => MOST[key] ?? 64
const SHUT_WHOLE = `A site has at most ${mostOf('access')} rules in access and ${mostOf('auth')} in auth. Until some of them are said by one pattern the draft shuts the whole site.`

type Say = { tooMany: (key: string, text: string) => void; shut: (text: string) => void }

export function boundLists(lists: Rule, { tooMany, shut }: Say): void {
  const isTooLong = (key: string) => listOf(lists[key]).length > mostOf(key)
  if (isTooLong('access') || isTooLong('auth')) {
    shut(SHUT_WHOLE)
    lists.access = [{ action: 'deny' }]
    lists.auth = []
  }
  for (const [key, value] of Object.entries(lists)) {
    const list = listOf(value)
    if (isTooLong(key)) {
      const text = `A site has at most ${mostOf(key)} rules in ${key}; the last ones are left out. Say some of them by one pattern.`
      tooMany(key, text)
      lists[key] = list.slice(0, mostOf(key))
    }
    if (Array.isArray(value) && list.length === 0 && key !== 'index') delete lists[key]
  }
}

const listOf = (value: Rule[string] | undefined): readonly Rule[string][] =>
  Array.isArray(value) ? value : []
