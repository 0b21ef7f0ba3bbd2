// SPDX-License-Identifier: MIT
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { sessionQuery } from '../features/session/api.ts'
import { createQueryClient } from './query-client.ts'
import { createAppRouter } from './router.tsx'
import { cssVariablesResolver, theme } from './theme.ts'

/** `test` leaves the kit's transitions out. */
export function createApp(environment: 'default' | 'test' = 'default') {
  const queryClient = createQueryClient(() => {
    // Asked again by the route's guard, which leads to the sign-in and back here.
    queryClient.removeQueries({ queryKey: ['session'] })
    void router.invalidate()
  })
  // index.html has asked for it, so its answer is taken on each page, also on one that has no use for it: else it would be
  // given to whoever asks first, when it has long become wrong.
  void queryClient.prefetchQuery(sessionQuery)
  const router = createAppRouter(queryClient)
  return (
    <MantineProvider
      env={environment}
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={cssVariablesResolver}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}
