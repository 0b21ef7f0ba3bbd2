// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createPermissionsTable } from '../../src/access/permissions-table.ts'
import { build } from '../helper.ts'

const COMMITTED = resolve(import.meta.dirname, '../../../docs/permissions.md')

test('docs/permissions.md is what the routes say (else: npm run permissions)', async () => {
  const table = createPermissionsTable()
  await build({ onRoute: table.add })
  expect(table.toMarkdown()).toBe(readFileSync(COMMITTED, 'utf8'))
})
