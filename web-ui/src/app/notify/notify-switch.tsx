// SPDX-License-Identifier: MIT

import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../languages/t.ts'
import { canNotify, useNotifySwitch } from './use-notify.ts'

/** The browser is asked when somebody turns it on, and never before. */
export function NotifySwitch() {
  const [isOn, setOn] = useNotifySwitch()
  const [refused, setRefused] = useState<string | null>(null)
  const isAllowed = canNotify()
  const handleChange = async (wanted: boolean) => {
    setRefused(null)
    if (!wanted) return setOn(false)
    const answer = await Notification.requestPermission()
    setOn(answer === 'granted')
    if (answer !== 'granted') {
      setRefused(
        t('Your browser blocks them for this page. Its settings for this site allow them.'),
      )
    }
  }
  return (
    <Checkbox
      size="xs"
      label={t('Notify me about rollouts')}
      description={
        isAllowed
          ? t(
              'Yours that pause or end, and others’ that need your approval, while the console is open.',
            )
          : t('Browsers notify only from pages that came over HTTPS.')
      }
      disabled={!isAllowed}
      checked={isOn && isAllowed && Notification.permission === 'granted'}
      error={refused}
      onChange={({ currentTarget: { checked } }) => void handleChange(checked)}
    />
  )
}
