// SPDX-License-Identifier: MIT
// The rest of the console comes while nobody waits for anything.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { loadAhead } from '../lib/load-chunk.ts'

/** Between two parts, and between two looks at whether somebody waits for data. */
const PAUSE_MS = 100

type Connection = { saveData?: boolean }

export function usePartsAhead(): void {
  const client = useQueryClient()
  useEffect(() => {
    const { connection } = navigator as { connection?: Connection }
    // Whoever pays for each byte loads what they look at; and browsers that do not know when they are idle do, too.
    if (connection?.saveData || !('requestIdleCallback' in window)) return
    return loadAhead({
      whenIdle: (then) => setTimeout(() => requestIdleCallback(then), PAUSE_MS),
      isBusy: () => client.isFetching() > 0,
    })
  }, [client])
}
