// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { helpAt } from './editor/complete.ts'
import { expectation, listedValues, type Path, type SchemaNode, schemaAt } from './schema-walk.ts'

const file = join(import.meta.dirname, '../../../../server-c/config.schema.json')
const schema: SchemaNode = JSON.parse(readFileSync(file, 'utf8'))

/** The node's schema has no place that could not be asked about. */
function at(...path: Path): SchemaNode {
  const found = schemaAt(schema, path)
  if (found === null) throw new Error(`nothing at /${path.join('/')}`)
  return found
}

describe('the shapes of the node’s schema', () => {
  test('a list of texts inside the items of a list', () => {
    expect(at('sites', 0, 'headers', 1, 'paths', 2).type).toBe('string')
    expect(at('sites', 0, 'access', 0, 'addresses', 0).type).toBe('string')
  })

  test('an object inside the items of a list', () => {
    expect(at('sites', 3, 'directoryListing', 'enabled').title).toBe('List folders')
    expect(at('sites', 3, 'userDirs', 'users', 0).type).toBe('string')
  })

  test('a map whose keys look like numbers', () => {
    expect(at('sites', 0, 'errorPages', '404')).toMatchObject({ type: 'string', maxLength: 1024 })
    expect(at('sites', 0, 'errorPages', '5xx').type).toBe('string')
  })

  test('true or false inside the items of a list', () => {
    expect(listedValues(schema, at('sites', 0, 'rewrites', 0, 'continue'))).toEqual([true, false])
    expect(expectation(schema, at('sites', 0, 'hotlink', 0, 'allowEmpty'))).toBe('true or false')
  })

  test('the words of an option and of a list’s items', () => {
    expect(listedValues(schema, at('sites', 0, 'access', 0, 'action'))).toEqual(['allow', 'deny'])
    expect(listedValues(schema, at('sites', 0, 'precompressed', 0))).toEqual(['br', 'zstd', 'gzip'])
    expect(listedValues(schema, at('workers'))).toEqual(['auto'])
    expect(listedValues(schema, at('sites', 0, 'root'))).toEqual([])
  })
})

test('the help of an option that waits for a start says so', () => {
  const text = '{ "process": { "user": "www-data" } }'
  const help = helpAt(schema, text, text.indexOf('www'))
  expect(help).toMatchObject({ name: 'User' })
  expect(help?.facts).toContain('Takes effect when the node restarts.')
})
