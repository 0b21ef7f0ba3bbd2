// SPDX-License-Identifier: MIT
// What no import shows. Who may import whom: scripts/rooms/rules.mjs, held by `npm run check`.
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')
const files = globSync('**/*.ts', { cwd: SRC }).sort()
const codeOf = (file: string) =>
  readFileSync(join(SRC, file), 'utf8').replaceAll(/^\s*\/\/.*$/gm, '')

test('the environment is read only where processes begin', () => {
  expect(files.length).toBeGreaterThan(80)
  expect(files.filter((file) => codeOf(file).includes('process.env'))).toEqual([
    'environment/config.ts',
    'farmctl/main.ts',
  ])
})
