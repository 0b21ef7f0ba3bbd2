// SPDX-License-Identifier: MIT
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from './helper.ts'

const controlApi = resolve(import.meta.dirname, '..')
const GENERATES_WITHIN_MS = 60_000

test(
  'the generated types are those of openapi.json (else: npm run generate-api -w control-api)',
  () => {
    const fresh = join(tempDir(), 'api.gen.ts')
    const script = '../api-types/node_modules/openapi-typescript/bin/cli.js'
    execFileSync(process.execPath, [script, 'openapi.json', '-o', fresh], { cwd: controlApi })
    const committed = readFileSync(join(controlApi, '../api-types/api.gen.ts'), 'utf8')
    expect(committed === readFileSync(fresh, 'utf8')).toBe(true)
  },
  GENERATES_WITHIN_MS,
)
