// SPDX-License-Identifier: MIT
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const webUi = join(import.meta.dirname, '../..')
const GENERATES_WITHIN_MS = 30_000

test(
  'the generated types are those of control-api/openapi.json',
  () => {
    const dir = mkdtempSync(join(tmpdir(), 'farmstead-api-types-'))
    const fresh = join(dir, 'api-types.gen.ts')
    const generator = createRequire(import.meta.url).resolve('openapi-typescript/package.json')
    const script = join(dirname(generator), 'bin/cli.js')
    execFileSync(process.execPath, [script, '../control-api/openapi.json', '-o', fresh], {
      cwd: webUi,
    })
    const expected = readFileSync(fresh, 'utf8')
    rmSync(dir, { recursive: true })
    const committed = readFileSync(join(webUi, 'src/lib/api-types.gen.ts'), 'utf8')
    expect(committed === expected, 'bring them up to date: npm run generate-api -w web-ui').toBe(
      true,
    )
  },
  GENERATES_WITHIN_MS,
)
