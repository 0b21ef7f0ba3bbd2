// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { releaseText } from './releases-brought.tsx'

const was = (number: number) => ({ number, manifest: 'a'.repeat(64) })

test.each([
  [null, 'www v41'],
  [was(41), 'www v41'],
  [was(40), 'www v40 → v41'],
])('a release after %j is said as %s', (before, said) => {
  expect(releaseText({ name: 'www', number: 41, manifest: 'b'.repeat(64), before })).toBe(said)
})
