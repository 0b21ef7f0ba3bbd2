// SPDX-License-Identifier: MIT
// The farm in six numbers, each with how it stands to the time before and its course over the range.

import { type Figure, Figures } from '../../components/figures.tsx'
import { Quantity } from '../../components/quantity.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { StatusMark } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import {
  formatByteRate,
  formatCount,
  formatRate,
  formatRatio,
  formatSeconds,
} from '../../lib/format.ts'
import type { RangeKey } from '../../lib/time-range.ts'
import { changeWords, type Glance as GlanceData, type Judged, latencyWords } from './measured.ts'
import classes from './overview.module.css'
import type { Measured } from './overview-screen.tsx'

type Props = Pick<Measured, 'p50' | 'p99' | 'requestsBefore' | 'judged' | 'isCompared'> & {
  glance: GlanceData
  range: RangeKey
}

export function Glance({ glance, range, p50, p99, judged, ...compared }: Props) {
  const { now, before, steps } = glance
  const isQuiet = now.requests === null || now.requests === 0
  const why =
    now.requests === null ? t('Nothing was measured in this range.') : t('There was no request.')
  const latency = (one: Measured['p50']) =>
    isQuiet
      ? why
      : compared.isCompared
        ? latencyWords(one.ratio, compared.requestsBefore, range)
        : t('Being compared…')
  const figures: Figure[] = [
    {
      name: t('Requests per second'),
      value: <Quantity of={now.requestsPerSecond} as={formatRate} />,
      detail: detailOf({
        note: isQuiet ? why : changeWords(now.requestsPerSecond, before.requestsPerSecond, range),
        course: steps.requestsPerSecond,
      }),
    },
    {
      name: t('Sent'),
      value: <Quantity of={now.bytesPerSecond} as={formatByteRate} />,
      detail: detailOf({
        note: isQuiet ? why : changeWords(now.bytesPerSecond, before.bytesPerSecond, range),
        course: steps.bytesPerSecond,
      }),
    },
    {
      name: 'p50',
      value: <Quantity of={p50.seconds} as={formatSeconds} />,
      detail: detailOf({ note: latency(p50), course: steps.p50 }),
    },
    {
      name: 'p99',
      value: <Quantity of={p99.seconds} as={formatSeconds} />,
      tone: toneOf(judged.latency),
      detail: detailOf({ note: latency(p99), judged: judged.latency, course: steps.p99 }),
    },
    {
      name: t('Answered with a 5xx'),
      value: <Quantity of={now.errorRatio} as={formatRatio} />,
      tone: toneOf(judged.errors),
      detail: detailOf({
        note: isQuiet
          ? why
          : t('{errors} of {requests, plural, one {# request} other {# requests}}', {
              errors: formatCount(now.errors ?? 0),
              requests: now.requests ?? 0,
            }),
        judged: judged.errors,
        course: steps.errorRatio,
      }),
    },
    {
      name: t('Found in the cache'),
      value: <Quantity of={now.hitRatio} as={formatRatio} />,
      detail: detailOf({
        note:
          now.hitRatio === null
            ? t('No file was looked up.')
            : before.hitRatio === null
              ? t('Of all look-ups')
              : t('Of all look-ups; {hitRatio} before', { hitRatio: formatRatio(before.hitRatio) }),
        course: steps.hitRatio,
      }),
    },
  ]
  return (
    <section className="panel" aria-label={t('The farm at a glance')}>
      <div className="panel-body">
        <Figures figures={figures} />
      </div>
    </section>
  )
}

const toneOf = (judged: Judged | null) => (judged?.isMet === false ? 'warn' : undefined)

type Detail = { note: string; judged?: Judged | null; course: readonly (number | null)[] }

function detailOf({ note, judged, course }: Detail) {
  return (
    <>
      {note}
      {judged && (
        <span className={classes.judged}>
          <StatusMark
            tone={judged.isMet ? 'good' : 'warn'}
            shape={judged.isMet ? 'disc' : 'triangle'}
          />
          {judged.words}
        </span>
      )}
      <Sparkline values={course} className={classes.spark} />
    </>
  )
}
