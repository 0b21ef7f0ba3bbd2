// SPDX-License-Identifier: MIT
import { useEffect, useState } from 'react'

/** The time to the second, for what counts down; it stands while nothing does. */
export function useSecond(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}
