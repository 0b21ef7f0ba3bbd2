// SPDX-License-Identifier: MIT
// Notifications of the browser, for who asked for them, while the console is open in some window.
import { useLocalStorage } from '@mantine/hooks'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'
import { api, bodyOf } from '../../lib/api-client.ts'
import type { RolloutState, Session } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'
import { newsOf } from './news.ts'

const NEWEST = 50
/** Each event of a rollout has it read again; this is for when no events come through. */
const AT_LEAST_EVERY_MS = 60_000

const newestRolloutsQuery = queryOptions({
  queryKey: ['rollouts', 'news'],
  queryFn: async ({ signal }) => {
    const query = { limit: NEWEST }
    return (await bodyOf(api.GET('/api/v1/rollouts', { params: { query }, signal }))).items
  },
  refetchInterval: AT_LEAST_EVERY_MS,
  refetchIntervalInBackground: true,
})

/** Browsers have none on pages that came over plain HTTP. */
export const canNotify = () => 'Notification' in window && window.isSecureContext

export const useNotifySwitch = () =>
  useLocalStorage<boolean>({ key: 'farmstead.notify', defaultValue: false })

export function useNotify(session: Session): void {
  const [isOn, setOn] = useNotifySwitch()
  const enabled = isOn && canNotify() && Notification.permission === 'granted'
  const rollouts = useQuery({ ...newestRolloutsQuery, enabled }).data
  const navigate = useNavigate()
  const before = useRef<ReadonlyMap<string, RolloutState> | null>(null)
  const tell = useEffectEvent((now: NonNullable<typeof rollouts>) => {
    const reader = {
      username: session.user.username,
      mayApprove: may(session, 'rollouts:approve'),
    }
    // What there was when one began to listen is no news; nor is what one looks at.
    const news = before.current === null ? [] : newsOf(before.current, now, reader)
    before.current = new Map(now.map(({ id, state }) => [id, state]))
    if (document.hasFocus()) return
    for (const { id, tag, title, body } of news) {
      // Of several windows that say the same the browser shows one.
      const shown = notification(title, { body, tag })
      if (shown === null) return setOn(false)
      shown.onclick = () => {
        window.focus()
        void navigate({ to: '/rollouts/$id', params: { id } })
      }
    }
  })
  useEffect(() => {
    if (enabled && rollouts !== undefined) tell(rollouts)
    // What happened while it was off is no news when it is on again.
    if (!enabled) before.current = null
  }, [enabled, rollouts])
}

/** null: the browser has them from service workers alone, as Chrome on Android, and says so only when one is made. */
function notification(title: string, options: NotificationOptions): Notification | null {
  try {
    return new Notification(title, options)
  } catch {
    return null
  }
}
