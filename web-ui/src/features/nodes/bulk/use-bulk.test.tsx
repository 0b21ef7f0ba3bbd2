// SPDX-License-Identifier: MIT
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { fakeApi, json } from '../../../test/fake-api.ts'
import { nothingYet } from './rules.ts'
import { useBulk } from './use-bulk.ts'

test('who goes to another page on the way ends it with the part that is under way', async () => {
  const ids = Array.from({ length: 201 }, (_, i) => `node_${i}`)
  let answerFirst = (_: Response) => {}
  const api = fakeApi({
    'POST /nodes/actions/change': () =>
      new Promise((resolve) => {
        answerFirst = resolve
      }),
  })
  const client = new QueryClient()
  const wrapper = ({ children }: { children: React.ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  const selection = { kind: 'some' as const, ids: new Set(ids) }
  const { result, unmount } = renderHook(() => useBulk(selection, {}), { wrapper })
  let made = Promise.resolve()
  act(() => {
    made = result.current.make({ change: { kind: 'uncordon' }, ids, answer: nothingYet })
  })
  await waitFor(() => expect(api.requests).toHaveLength(1))
  unmount()
  answerFirst(
    json({
      results: ids.slice(0, 200).map((nodeId) => ({
        ...{ nodeId, nodeName: nodeId, outcome: 'changed', code: null, message: '', labels: null },
      })),
      impact: null,
    }),
  )
  await made
  expect(api.requests).toHaveLength(1)
})
