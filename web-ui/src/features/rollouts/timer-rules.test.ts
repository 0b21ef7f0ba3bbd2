// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { countdownText, timerWords } from './timer-rules.ts'

test.each([
  [-1, 'any moment'],
  [0, 'any moment'],
  [0.4, '1 s'],
  [59.2, '1 min 00 s'],
  [128, '2 min 08 s'],
  [3600, '1 h 0 min'],
  [86_400 + 7200, '1 d 2 h'],
])('%d s count down as %s', (seconds, text) => {
  expect(countdownText(seconds)).toBe(text)
})

test('a timer says what follows, as its order has it', () => {
  const timer = { kind: 'evidence', leftSeconds: 1, isRunning: true, node: null } as const
  const policy = { onNoData: 'pause', onFailure: 'revert' } as const
  expect(timerWords(timer, policy).follows).toBe('then it pauses and asks')
  expect(timerWords(timer, { ...policy, onNoData: 'continue' }).follows).toMatch(/goes on without/)
  expect(timerWords({ ...timer, kind: 'progress' }, policy).follows).toBe('else it goes back')
  const node = { nodeId: 'node_1', nodeName: 'edge-7', state: 'offered' } as const
  expect(timerWords({ ...timer, kind: 'node', node }, policy).name).toBe(
    'edge-7 to accept the version',
  )
})
