// SPDX-License-Identifier: MIT
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { NextPage } from './next-page.tsx'

test('the next page waits for what is fetched again, so that nothing new is missed', async () => {
  const pages: Record<string, string[]> = { first: ['old'], second: ['older'] }
  let answer = (): Promise<void> => Promise.resolve()
  function List() {
    const list = useInfiniteQuery({
      queryKey: ['list'],
      queryFn: async ({ pageParam, signal }) => {
        await answer()
        signal.throwIfAborted()
        return pages[pageParam] ?? []
      },
      initialPageParam: 'first',
      getNextPageParam: (_, all) => (all.length === 1 ? 'second' : null),
    })
    return (
      <>
        {list.data?.pages.flat().map((one) => (
          <p key={one}>{one}</p>
        ))}
        <NextPage of={list}>Show more</NextPage>
      </>
    )
  }
  const client = new QueryClient()
  render(
    <MantineProvider>
      <QueryClientProvider client={client}>
        <List />
      </QueryClientProvider>
    </MantineProvider>,
  )
  await screen.findByText('old')
  const held = Promise.withResolvers<void>()
  answer = () => held.promise
  pages.first = ['new', 'old']
  void client.invalidateQueries({ queryKey: ['list'] })
  await userEvent.click(screen.getByRole('button', { name: 'Show more' }))
  held.resolve()
  expect(await screen.findByText('older')).toBeVisible()
  expect(screen.getByText('new')).toBeVisible()
  expect(screen.queryByRole('button')).toBeNull()
})
