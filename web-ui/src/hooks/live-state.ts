// SPDX-License-Identifier: MIT
import { createContext, useContext } from 'react'
import type { LiveState } from '../lib/live/live.ts'

export const LiveStateContext = createContext<LiveState>('connecting')

export function useLiveState(): LiveState {
  return useContext(LiveStateContext)
}
