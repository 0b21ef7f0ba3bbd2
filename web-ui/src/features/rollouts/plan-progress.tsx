// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../languages/t.ts'
import type { PlanUnderWay } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'
import { plansUnderWayQuery, type Release, stopPlanMutation } from './api.ts'

/** Most plans are there before anybody would have read this. */
const SHOWN_AFTER_MS = 1500

type Followed = { of: Release; purpose: 'plan' | 'order' }

/** While a plan or an order is waited for: how many of its texts are checked, and a way to stop it. */
export function PlanProgress({ isWaiting, ...followed }: Followed & { isWaiting: boolean }) {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    setIsLong(false)
    if (!isWaiting) return
    const timer = setTimeout(() => setIsLong(true), SHOWN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isWaiting])
  return isWaiting && isLong ? <Progress {...followed} /> : null
}

function Progress({ of, purpose }: Followed) {
  const { data = [] } = useQuery(plansUnderWayQuery)
  const stop = useMutation(stopPlanMutation)
  // One before it, of what was typed before, ends by itself: nobody waits for it any more.
  const newest = data.findLast(
    (one) => one.config === of.config && one.version === of.version && one.purpose === purpose,
  )
  if (!newest) return null
  return (
    <Notice
      tone="info"
      title={t('The plan is being made')}
      action={
        <Button
          variant="default"
          size="xs"
          loading={stop.isPending}
          onClick={() => stop.mutate(newest.id)}
        >
          {t('Stop')}
        </Button>
      }
    >
      {wordsOf(newest)}
    </Notice>
  )
}

function wordsOf({ texts, checkedTexts }: PlanUnderWay): string {
  if (texts === null) return t('The texts that nodes would get are being counted.')
  return t(
    '{checkedTexts} of {texts, plural, one {# text} other {# texts}} checked. Each different text that nodes would get is checked once.',
    { checkedTexts: formatCount(checkedTexts), texts },
  )
}
