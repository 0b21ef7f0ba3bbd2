// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { reasonTold } from './reason-words.ts'

const rollout = {
  headline: 'edge-1 is not connected.',
  reason: 'edge-1 took the version and is not connected. Resume goes on without.',
  reasonCode: 'nodes_away',
} as const

test('who reads English has the control plane’s sentence, with its names', () => {
  expect(reasonTold(rollout, true)).toEqual({ words: 'edge-1 is not connected.', isEnglish: true })
})

test('who reads another language has the console’s, by the code of the reason', () => {
  const { words, isEnglish } = reasonTold(rollout, false)
  expect(words).toMatch(/^Nodes that took the version are not connected/)
  expect(isEnglish).toBe(false)
})

test('what somebody wrote is told as it is, in every language', () => {
  expect(reasonTold({ ...rollout, reasonCode: 'text' }, false).isEnglish).toBe(true)
})
