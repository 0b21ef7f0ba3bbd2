// SPDX-License-Identifier: MIT
// When the rule in the form would have fired in the last days, drawn and as a table.

import { Button, NativeSelect } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ChartPanel } from '../../components/chart/chart-panel.tsx'
import type { Mark, Series } from '../../components/chart/types.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { AlertPreview } from '../../lib/api-types.ts'
import { DASH, type Format, formatRate } from '../../lib/format.ts'
import { unitOf } from '../../lib/measures.ts'
import { formatDateTime, formatDuration } from '../../lib/time.ts'
import { previewRuleMutation } from './api.ts'
import type { Condition, RuleSettings } from './rule-draft.ts'
import { alertVerdict, isMeasured, previewWords } from './rules.ts'

type Props = {
  /** null: what is in the form is no rule yet; `read` says why at its fields. */
  read: () => RuleSettings | null
  /** As it is in the form now; null as above. */
  now: RuleSettings | null
  kind: Condition['kind']
}
const DAYS = [
  { value: '1', label: t('the last day') },
  { value: '3', label: t('the last 3 days') },
  { value: '7', label: t('the last week') },
]

export function RulePreview({ read, now, kind }: Props) {
  const [days, setDays] = useState('7')
  const [asked, setAsked] = useState<RuleSettings | null>(null)
  const preview = useMutation(previewRuleMutation)
  const look = () => {
    const rule = read()
    if (rule === null || !isMeasured(rule.condition)) return
    const { condition, appliesTo, forSeconds, keepFiringSeconds } = rule
    setAsked(rule)
    const times = { forSeconds, keepFiringSeconds, days: Number(days) }
    preview.mutate({ condition, appliesTo, ...times })
  }
  const canLook = kind === 'measurement' || kind === 'burn-rate'
  return (
    <>
      <section className="panel" aria-labelledby="preview-heading">
        <div className="panel-head">
          <h2 id="preview-heading">{t('When it would have fired')}</h2>
        </div>
        <div className="panel-body stack">
          {canLook ? (
            <div className="row">
              <NativeSelect
                aria-label={t('How far back')}
                value={days}
                data={DAYS}
                onChange={({ currentTarget: { value } }) => setDays(value)}
              />
              <Button variant="default" loading={preview.isPending} onClick={look}>
                {t('Preview')}
              </Button>
            </div>
          ) : (
            <p className="dim">
              {t(
                'There is no preview: only measurements are kept. A rule over measurements or an error budget has one.',
              )}
            </p>
          )}
          {preview.isError && <ErrorBox what={t('No preview')} error={preview.error} />}
          {canLook && preview.data && asked && (
            <Summary preview={preview.data} isOld={!isSameCheck(asked, now)} />
          )}
        </div>
        {canLook && preview.data && preview.data.alerts.length > 0 && asked && (
          <Alerts preview={preview.data} rule={asked} />
        )}
      </section>
      {canLook && preview.data && asked && <Chart preview={preview.data} rule={asked} />}
    </>
  )
}

/** Its name and the like are no matter. */
function isSameCheck(asked: RuleSettings, now: RuleSettings | null): boolean {
  const checkOf = ({ condition, appliesTo, forSeconds, keepFiringSeconds }: RuleSettings) =>
    JSON.stringify({ condition, appliesTo, forSeconds, keepFiringSeconds })
  return now !== null && checkOf(asked) === checkOf(now)
}

function Summary({ preview, isOld }: { preview: AlertPreview; isOld: boolean }) {
  if (isOld) {
    return (
      <Notice tone="info" title={t('The rule has changed since this preview')}>
        {t('What is below is of the rule as it was. Preview it again.')}
      </Notice>
    )
  }
  const { title, notes } = previewWords(preview)
  return (
    <Notice tone={preview.fired === 0 ? 'info' : 'warn'} title={title} live>
      {notes.join(' ')}
    </Notice>
  )
}

const formatOf = (condition: Condition) =>
  condition.kind === 'measurement' ? unitOf(condition.by).format : timesTooFast
const timesTooFast: Format = (value) => (value == null ? DASH : `${formatRate(value)} ×`)

type Said = { preview: AlertPreview; rule: RuleSettings }

function Alerts({ preview, rule: { condition, severity } }: Said) {
  const format = formatOf(condition)
  return (
    <ScrollBox label={t('Previewed alerts, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('About')}</th>
            <th scope="col">{t('Pending since')}</th>
            <th scope="col">{t('Fired at')}</th>
            <th scope="col">{t('Resolved at')}</th>
            <th scope="col" className="num">
              {t('Worst')}
            </th>
          </tr>
        </thead>
        <tbody>
          {preview.alerts.map(({ subject, pendingSince, firingSince, overAt, worst }) => (
            <tr key={`${subject.id} ${pendingSince}`}>
              <td>
                <StatusBadge
                  verdict={alertVerdict({
                    state: firingSince === null ? 'pending' : 'firing',
                    severity,
                  })}
                />
              </td>
              <td>{subject.name}</td>
              <td>{formatDateTime(pendingSince)}</td>
              <td>
                {firingSince === null ? t('not for long enough') : formatDateTime(firingSince)}
              </td>
              <td>{overAt === null ? t('not yet') : overWords(overAt, firingSince)}</td>
              <td className="num">{format(worst)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function overWords(overAt: string, firingSince: string | null): string {
  if (firingSince === null) return formatDateTime(overAt)
  const seconds = (Date.parse(overAt) - Date.parse(firingSince)) / 1000
  return t('{overAt}, after {seconds}', {
    overAt: formatDateTime(overAt),
    seconds: formatDuration(seconds),
  })
}

const MARKS_MAX = 30

/** Of a set there is one value; of nodes, that of the worst. */
const whoseWorst = (condition: Condition, nodes: number): string =>
  condition.kind === 'measurement' && condition.each === 'node'
    ? t('the worst of {nodes, plural, one {# node} other {# nodes}}', { nodes })
    : t('of all nodes together')

function Chart({ preview, rule: { condition } }: Said) {
  const series = useMemo(() => linesOf(preview, condition), [preview, condition])
  const marks = useMemo(() => marksOf(preview), [preview])
  if (preview.values.every((value) => value === null)) {
    return (
      <section className="panel" aria-label={t('Measured values')}>
        <EmptyState title={t('Nothing was measured in that time')}>
          {t('With no measurement, or too few requests, a rule does not fire.')}
        </EmptyState>
      </section>
    )
  }
  return (
    <ChartPanel
      label={t('Measured values')}
      help={t('{whoseWorst}, in steps of {stepSeconds}; in a gap nothing is concluded', {
        whoseWorst: whoseWorst(condition, preview.lookedAt),
        stepSeconds: formatDuration(preview.stepSeconds),
      })}
      times={preview.times}
      series={series}
      format={formatOf(condition)}
      marks={marks}
    />
  )
}

/** The limit of an hour, which is what is drawn. */
const HOURLY_BURN = 14.4

function linesOf({ values, times }: AlertPreview, condition: Condition): Series[] {
  const level = (name: string, at: number, dash: 'dashed' | 'dotted'): Series => {
    return { name, values: times.map(() => at), colour: 2, dash }
  }
  if (condition.kind !== 'measurement') {
    const name = t('In an hour, times too fast')
    return [{ name, values, colour: 1 }, level(t('Limit of an hour'), HOURLY_BURN, 'dashed')]
  }
  const { threshold, clearThreshold } = condition
  return [
    { name: condition.each === 'node' ? t('Worst node') : t('All together'), values, colour: 1 },
    level(t('Threshold'), threshold, 'dashed'),
    ...(clearThreshold === undefined ? [] : [level(t('Clears at'), clearThreshold, 'dotted')]),
  ]
}

const marksOf = ({ alerts }: AlertPreview): Mark[] =>
  alerts
    .flatMap(({ subject, firingSince }) =>
      firingSince === null
        ? []
        : [{ atSeconds: Date.parse(firingSince) / 1000, text: `fired: ${subject.name}` }],
    )
    .slice(0, MARKS_MAX)
