// SPDX-License-Identifier: MIT

import { useSecond } from '../../hooks/use-second.ts'
import { t } from '../../languages/t.ts'
import type { Rollout } from '../../lib/api-types.ts'
import classes from './rollout-state.module.css'
import { countdownText, timerWords } from './timer-rules.ts'

/** What ends by time, counted down from when the answer came. */
export function Timers({ rollout: { timers, policy }, asOf }: { rollout: Rollout; asOf: number }) {
  const now = useSecond(timers.some(({ isRunning }) => isRunning))
  if (timers.length === 0) return null
  return (
    <dl className={classes.timers} aria-label={t('Time that is left')}>
      {timers.map((timer) => {
        const { kind, leftSeconds, isRunning } = timer
        const { name, follows } = timerWords(timer, policy)
        const passed = isRunning ? Math.max(0, now - asOf) / 1000 : 0
        return (
          <div key={kind} data-stands={!isRunning || undefined}>
            <dt>{name}</dt>
            <dd>
              <span role="timer" className={classes.left}>
                {countdownText(leftSeconds - passed)}
              </span>
              <span className="dim">{isRunning ? follows : t('stopped while it is paused')}</span>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
