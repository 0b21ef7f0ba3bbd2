// SPDX-License-Identifier: MIT
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { useInPieces } from './use-in-pieces.ts'

/** How many answers have come, and what is drawn of them. */
type Drawn = [come: number, shown: string]

test('what is made of an answer is not made in the frame in which it comes', async () => {
  const answer = Promise.withResolvers<string>()
  const drawn: Drawn[] = []
  function Large() {
    const query = useQuery({ queryKey: ['answer'], queryFn: () => answer.promise })
    const { data = 'nothing yet' } = useInPieces(query)
    drawn.push([query.dataUpdatedAt > 0 ? 1 : 0, data])
    return <p>{data}</p>
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Large />
    </QueryClientProvider>,
  )
  answer.resolve('all of it')
  expect(await screen.findByText('all of it')).toBeVisible()
  expect(drawn).toEqual([
    [0, 'nothing yet'],
    [1, 'nothing yet'],
    [1, 'all of it'],
  ])
})

test('of an answer that has gone nothing is drawn', async () => {
  const drawn: unknown[] = []
  function Large({ of }: { of: string }) {
    const answers = () => (of === 'one' ? 'all of one' : Promise.reject(new Error('none')))
    const query = useQuery({ queryKey: ['answer', of], queryFn: answers, retry: false })
    const { data, isError } = useInPieces(query)
    drawn.push(isError ? [data] : data)
    return <p>{isError ? 'refused' : data}</p>
  }
  const client = new QueryClient()
  const shown = (of: string) => (
    <QueryClientProvider client={client}>
      <Large of={of} />
    </QueryClientProvider>
  )
  const { rerender } = render(shown('one'))
  expect(await screen.findByText('all of one')).toBeVisible()
  drawn.length = 0
  rerender(shown('two'))
  expect(await screen.findByText('refused')).toBeVisible()
  expect(new Set(drawn.flat())).toEqual(new Set([undefined]))
})
