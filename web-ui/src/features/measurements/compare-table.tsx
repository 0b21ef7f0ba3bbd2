// SPDX-License-Identifier: MIT

import { Quantity } from '../../components/quantity.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { type Verdict as Badge, StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Comparison } from '../../lib/api-types.ts'
import { formatCount, formatSeconds } from '../../lib/format.ts'
import { stages as words } from '../../lib/stages.ts'
import {
  type Interval,
  isBeyond,
  placeOf,
  ratioWords,
  ticks,
  type Verdict,
  verdictOf,
} from './compare-rules.ts'
import classes from './measurements.module.css'

const badges: Record<Verdict, Badge> = {
  slower: { label: t('Slower'), tone: 'bad', shape: 'triangle' },
  faster: { label: t('Faster'), tone: 'good', shape: 'disc' },
  same: { label: t('No difference'), tone: 'idle', shape: 'ring' },
  unknown: { label: t('Not enough data'), tone: 'idle', shape: 'half' },
}

type Props = { comparison: Comparison; titles: { a: string; b: string } }

/** Of each stage that either had, percentile by percentile. */
export function CompareTable({ comparison, titles }: Props) {
  const { stages, quantiles } = comparison
  const had = stages.filter(({ a, b }) => a.count > 0 || b.count > 0)
  return (
    <ScrollBox label={t('Percentiles side by side')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Stage')}</th>
            <th scope="col">{t('Percentile')}</th>
            <th scope="col" className="num">
              {titles.a}
            </th>
            <th scope="col" className="num">
              {titles.b}
            </th>
            <th scope="col" className="num">
              {t('Ratio')}
            </th>
            <th scope="col">
              <Scale />
            </th>
            <th scope="col">{t('Result')}</th>
          </tr>
        </thead>
        <tbody>
          {had.flatMap(({ stage, a, b, ratios }) =>
            quantiles.map((q, index) => (
              <tr key={`${stage} ${q}`}>
                <th scope="row">
                  <span className={index > 0 ? 'visually-hidden' : undefined}>
                    {words[stage].label}
                  </span>{' '}
                  {index === 0 && (
                    <span className="dim">
                      {t('· {count} and {count2}', {
                        count: formatCount(a.count),
                        count2: formatCount(b.count),
                      })}
                    </span>
                  )}
                </th>
                <td>p{Math.round(q * 100)}</td>
                <td className="num">
                  <Quantity of={a.quantiles[index]} as={formatSeconds} />
                </td>
                <td className="num">
                  <Quantity of={b.quantiles[index]} as={formatSeconds} />
                </td>
                <td className="num">{ratioWords(ratios[index] ?? null)}</td>
                <td>
                  <IntervalLine ratio={ratios[index] ?? null} />
                </td>
                <td className="nowrap">
                  <StatusBadge verdict={badges[verdictOf(ratios[index] ?? null)]} />
                </td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </ScrollBox>
  )
}

const WIDTH = 180
const HEIGHT = 20
/** Room for the point at either end. */
const PAD = 8
const xOf = (ratio: number) => PAD + placeOf(ratio) * (WIDTH - 2 * PAD)

/** From a quarter to four times; the words beside it say the same. */
function Scale() {
  return (
    <svg width={WIDTH} height={HEIGHT} aria-label={t('Ratio, drawn')} role="img">
      {ticks.map((tick) => (
        <text key={tick} x={xOf(tick)} y={14} textAnchor="middle" className={classes.tick}>
          {tick === 0.25 ? '¼' : tick === 0.5 ? '½' : tick}×
        </text>
      ))}
    </svg>
  )
}

function IntervalLine({ ratio }: { ratio: Interval | null }) {
  const middle = HEIGHT / 2
  return (
    <svg width={WIDTH} height={HEIGHT} className={classes.interval} aria-hidden="true">
      <path d={`M${PAD} ${middle}H${WIDTH - PAD}`} stroke="var(--fs-line)" />
      <path d={`M${xOf(1)} 1V${HEIGHT - 1}`} stroke="var(--fs-line-strong)" />
      {ratio !== null && (
        <g className={classes.found} data-verdict={verdictOf(ratio)}>
          <path
            d={`M${xOf(ratio.low)} ${middle}H${xOf(ratio.high)}`}
            strokeWidth="3"
            strokeDasharray={isBeyond(ratio) ? '4 2' : undefined}
          />
          <path d={`M${xOf(ratio.low)} 5V15M${xOf(ratio.high)} 5V15`} strokeWidth="1.5" />
          <circle cx={xOf(ratio.value)} cy={middle} r="4" />
        </g>
      )}
    </svg>
  )
}
