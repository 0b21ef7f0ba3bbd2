// SPDX-License-Identifier: MIT
import { useMediaQuery } from '@mantine/hooks'

/** Too narrow for two panes side by side, or for the farm's table. */
export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 899px)', undefined, { getInitialValueInEffect: false }) ?? false
}

/** Wide enough for two panes beside the rail, each of which one works in. */
export function useWide(): boolean {
  return (
    useMediaQuery('(min-width: 1360px)', undefined, { getInitialValueInEffect: false }) ?? false
  )
}
