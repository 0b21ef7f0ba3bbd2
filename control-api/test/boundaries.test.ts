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

// Consoles of other servers put what somebody typed into a shell's words: docs/security/known-faults-elsewhere.md.
test('programs are started by whom one would look for, and the service starts none by a shell', () => {
  const starting = files.filter((file) => /node:(?:child_process|vm)\b/.test(codeOf(file)))
  expect(starting).toEqual([
    // A person's own editor, on their own machine, as they wrote it into EDITOR.
    'farmctl/editor.ts',
    'farmctl/load/heart.ts',
    'node-check/ask-binary.ts',
    'node-check/binary.ts',
  ])
  for (const file of starting.filter((name) => name.startsWith('node-check/'))) {
    expect(codeOf(file)).toContain("import { execFile } from 'node:child_process'")
    expect(codeOf(file)).not.toMatch(/shell:|\/bin\/sh/)
  }
  const evaluating = files.filter((file) => /\beval\(|new Function\(/.test(codeOf(file)))
  expect(evaluating).toEqual([])
})
