// SPDX-License-Identifier: MIT
// How long requests took with the version, drawn over how long they took without it.

import { ScrollBox } from '../../components/scroll-box.tsx'
import { t } from '../../languages/t.ts'
import type { Distribution } from '../../lib/api-types.ts'
import { formatRatio, formatSeconds } from '../../lib/format.ts'
import {
  countWords,
  drawnOf,
  endOf,
  marksOf,
  markWords,
  sharesOf,
  stageWords,
  ticksOf,
} from './distribution-rules.ts'
import classes from './distributions.module.css'

const WIDTH = 640
const HEIGHT = 120

export function Distributions({ distributions }: { distributions: readonly Distribution[] }) {
  if (distributions.length === 0) return null
  return (
    <section className="panel" aria-labelledby="distributions-heading">
      <div className="panel-head">
        <h2 id="distributions-heading">{t('How long requests took')}</h2>
        <ul className={classes.legend} aria-label={t('What the colours stand for')}>
          <li data-side="canary">{t('with the new version (filled)')}</li>
          <li data-side="control">{t('other nodes (line)')}</li>
        </ul>
      </div>
      {distributions.map((one) => (
        <One key={one.stage} distribution={one} />
      ))}
      <p className="panel-body dim">
        {t(
          'Each step is a range of times, twice as wide every two steps; its height is the share of that side’s requests. What lies further right took longer. Half and 99 % of the requests kept to the times at the dashed lines; the longer lines are the new version’s.',
        )}
      </p>
    </section>
  )
}

function One({ distribution }: { distribution: Distribution }) {
  const { canary, control } = sharesOf(distribution)
  const most = Math.max(...canary, ...control)
  const title = stageWords[distribution.stage]
  const size = { width: WIDTH, height: HEIGHT, most }
  return (
    <figure className={classes.one}>
      <figcaption>
        {title}{' '}
        <span className="dim">
          {t('{canary} with it, {control} without', {
            canary: countWords(distribution, sum(distribution.canary)),
            control: countWords(distribution, sum(distribution.control)),
          })}
        </span>
      </figcaption>
      <ul className={classes.marks}>
        {markWords(distribution).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      <div className={classes.drawing} aria-hidden="true">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path className={classes.canary} d={`${drawnOf(canary, size)}V${HEIGHT}H0Z`} />
          <path className={classes.control} d={drawnOf(control, size)} />
        </svg>
        {marksOf(distribution).map(({ key, side, isLast, at, label }) => (
          <span
            key={key}
            className={classes.mark}
            data-side={side}
            data-last={isLast}
            style={{ left: `${at * 100}%` }}
          >
            <span>{label}</span>
          </span>
        ))}
        {ticksOf(distribution).map(({ at, seconds }) => (
          <span key={seconds} className={classes.tick} style={{ left: `${at * 100}%` }}>
            {formatSeconds(seconds)}
          </span>
        ))}
      </div>
      <details>
        <summary>{t('As a table')}</summary>
        <Table distribution={distribution} title={title} />
      </details>
    </figure>
  )
}

function Table({ distribution, title }: { distribution: Distribution; title: string }) {
  const { canary, control } = sharesOf(distribution)
  return (
    <ScrollBox label={t('{title}, distribution, table', { title })}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Up to')}</th>
            <th scope="col" className="num">
              {t('New version')}
            </th>
            <th scope="col" className="num">
              {t('Other nodes')}
            </th>
          </tr>
        </thead>
        <tbody>
          {canary.map((share, place) => (
            <tr key={endOf(distribution, place)}>
              <th scope="row">{formatSeconds(endOf(distribution, place))}</th>
              <td className="num">{formatRatio(share)}</td>
              <td className="num">{formatRatio(control[place])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0)
