// SPDX-License-Identifier: MIT
import { useMediaQuery } from '@mantine/hooks'

/** Too narrow for two panes side by side, or for the farm's table. */
export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 899px)', undefined, { getInitialValueInEffect: false }) ?? false
}
