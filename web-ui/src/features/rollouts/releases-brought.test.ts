// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { releaseText } from './releases-brought.tsx'

const was = (number: number) => ({ number, manifest: 'a'.repeat(64) })
const changes = { added: 0, changed: 3, removed: 1, fetchFiles: 2, fetchBytes: 4_194_304 }

test.each([
  [null, null, 'www v41'],
  [was(41), { ...changes, changed: 0, removed: 0 }, 'www v41'],
  [was(40), null, 'www v40 → v41'],
  [was(40), changes, 'www v40 → v41 (3 changed, 1 removed, 4 MiB to fetch)'],
  [
    null,
    { ...changes, added: 1200, changed: 0 },
    'www v41 (1,200 added, 1 removed, 4 MiB to fetch)',
  ],
])('a release after %j that changed %j is said as %s', (before, changed, said) => {
  const planned = { name: 'www', number: 41, manifest: 'b'.repeat(64), before, changes: changed }
  expect(releaseText(planned)).toBe(said)
})
