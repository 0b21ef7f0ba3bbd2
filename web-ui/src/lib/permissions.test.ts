// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { session } from '../test/samples.ts'
import { may, ofWholeFarm, whyNot } from './permissions.ts'

const TABLE = resolve(import.meta.dirname, '../../../docs/permissions.md')

test('says which permission is missing, or that a scope is not enough', () => {
  const confined = { ...session, user: { ...session.user, scope: 'zone=eu' } }
  expect(whyNot(session, 'configs:write')).toBeNull()
  expect(whyNot(session, 'users:write')).toMatch(/Your roles \(admin\).*permission users:write/)
  expect(whyNot(confined, 'configs:write')).toMatch(/only to nodes with zone=eu,.*the whole farm/)
  expect(may(confined, 'nodes:write')).toBe(true)
})

test('what needs the whole farm is what docs/permissions.md says of the routes', () => {
  const rows = [
    ...readFileSync(TABLE, 'utf8').matchAll(/^\| `[^`]+` \| `([^`]+)` .* ([^|]+) \|$/gm),
  ]
  expect(rows.length).toBeGreaterThan(80)
  const namesOf = (list: typeof rows) => new Set(list.map(([, name]) => name))
  // One that is good for a part of the farm somewhere may still be refused elsewhere.
  const forPart = namesOf(rows.filter(([, , scoped]) => scoped !== 'no'))
  const refused = [...namesOf(rows)].filter((name) => !forPart.has(name))
  // Of no route, but of what some do.
  const within = ['tokens:read', 'tokens:write']
  expect([...ofWholeFarm].sort()).toEqual([...new Set([...refused, ...within])].sort())
})
