// SPDX-License-Identifier: MIT
import { expect, test, vi } from 'vitest'
import { fakeApi, json, problem } from '../../../test/fake-api.ts'
import { changePart, newKey } from './api.ts'

const part = { nodeIds: ['node_1'], change: { kind: 'uncordon' as const } }
const answer = { results: [], impact: null }

test.each(['already_done', 'outcome_unknown'])(
  'a part whose answer is gone for good (%s) is asked for anew, with another key',
  async (code) => {
    const api = fakeApi({
      'POST /nodes/actions/change': ({ headers }) =>
        headers.get('idempotency-key') === 'first' ? problem(409, code, 'Gone.') : json(answer),
    })
    expect(await changePart(part, 'first')).toEqual(answer)
    expect(api.requests).toHaveLength(2)
  },
)

test('one that is still under way is not sent twice', async () => {
  const api = fakeApi({
    'POST /nodes/actions/change': () => problem(409, 'still_running', 'Wait.'),
  })
  await expect(changePart(part, 'first')).rejects.toThrow('Wait.')
  expect(api.requests).toHaveLength(1)
})

test('a key is made on pages over plain HTTP, too', () => {
  vi.stubGlobal('crypto', {
    getRandomValues: (bytes: Uint8Array) => bytes.fill(7),
  })
  expect(newKey()).toBe('07'.repeat(16))
  vi.unstubAllGlobals()
})
