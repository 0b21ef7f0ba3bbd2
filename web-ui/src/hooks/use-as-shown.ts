// SPDX-License-Identifier: MIT
// A form keeps to what it was opened with, while live updates read the thing anew behind it: an ETag that goes
// out must be of what its reader has seen, else a stale form writes over somebody's change.
import { useState } from 'react'

/** `renew` shows what is there by now, as after a change of one's own. */
export function useAsShown<T>(first: T): { shown: T; renew: (now: T) => void } {
  const [shown, setShown] = useState(first)
  return { shown, renew: setShown }
}
