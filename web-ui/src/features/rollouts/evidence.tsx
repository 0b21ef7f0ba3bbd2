// SPDX-License-Identifier: MIT

import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { Evidence } from '../../lib/api-types.ts'
import { DASH } from '../../lib/format.ts'
import { differenceText, intervalText, limitText, sideText } from './evidence-rules.ts'
import classes from './rollouts.module.css'
import { gateTitle, gateVerdict } from './rules.ts'
import { Strip } from './strip.tsx'

type Gate = Evidence['gates'][number]

/** What a wave's nodes show beside the others: the numbers a decision rests on. */
export function EvidencePanel({ evidence }: { evidence: Evidence }) {
  const inTheWay = evidence.gates.filter(({ verdict, message }) => verdict !== 'pass' && message)
  return (
    <section className="panel" aria-labelledby="evidence-heading">
      <div className="panel-head">
        <h2 id="evidence-heading">{t('Evidence of wave {wave}', { wave: evidence.wave + 1 })}</h2>
        <StatusBadge verdict={gateVerdict[evidence.verdict]} />
        <span className="dim">
          <TimeAgo at={evidence.at} />
        </span>
      </div>
      <ScrollBox label={t('Evidence, table')}>
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">{t('Gate')}</th>
              <th scope="col">{t('Verdict')}</th>
              <th scope="col">{t('At a glance')}</th>
              <th scope="col" className="num">
                {t('New version')}
              </th>
              <th scope="col" className="num">
                {t('Other nodes')}
              </th>
              <th scope="col" className="num">
                {t('Difference')}
              </th>
              <th scope="col" className="num">
                {t('95 % interval')}
              </th>
              <th scope="col" className="num">
                {t('Limit')}
              </th>
            </tr>
          </thead>
          <tbody>
            {evidence.gates.map((gate) => (
              <GateRow key={gateTitle(gate)} gate={gate} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <p className={`panel-body dim ${classes.words}`}>
        {t(
          'At a glance: the dot is the difference that was measured, the bar its 95 % interval, the dashed line no difference, the red line the limit. A bar left of the limit passes, one to its right fails, one across it is not clear.',
        )}
      </p>
      {inTheWay.length > 0 && (
        <ul className={`panel-body dim ${classes.words}`}>
          {inTheWay.map((gate) => (
            <li key={gateTitle(gate)}>{capitalised(gate.message)}.</li>
          ))}
        </ul>
      )}
      {evidence.gates.map((gate) => (
        <OddAnswers key={gateTitle(gate)} gate={gate} />
      ))}
    </section>
  )
}

/** Of gates that ask nodes for files: which answers are wrong, and whose. */
function OddAnswers({ gate }: { gate: Gate }) {
  const { odd = [] } = gate
  if (odd.length === 0) return null
  const label = t('Wrong answers: {gateTitle}', { gateTitle: gateTitle(gate) })
  return (
    <ScrollBox label={t('{label}, table', { label })}>
      <table className="grid">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{t('File')}</th>
            <th scope="col">{t('Node')}</th>
            <th scope="col">{t('What is wrong')}</th>
          </tr>
        </thead>
        <tbody>
          {odd.map(({ node, url, message }) => (
            <tr key={`${node} ${url}`}>
              <td className="mono">{url}</td>
              <td>{node}</td>
              <td>{capitalised(message)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function GateRow({ gate }: { gate: Gate }) {
  const { metric, verdict, canary, control, value, low, high, max } = gate
  return (
    <tr>
      <td>{gateTitle(gate)}</td>
      <td>
        <StatusBadge verdict={gateVerdict[verdict]} />
      </td>
      <td>
        <Strip gate={gate} />
      </td>
      <Side metric={metric} side={canary} />
      <Side metric={metric} side={control} />
      <td className="num">{value === null ? DASH : differenceText(metric, value)}</td>
      <td className="num">{intervalText(metric, low, high)}</td>
      <td className="num">{limitText(metric, max)}</td>
    </tr>
  )
}

function Side({ metric, side }: { metric: Gate['metric']; side: Gate['canary'] }) {
  return (
    <td className="num">
      {sideText(metric, side.value)}
      <div className="dim">
        {t(
          '{samples, plural, one {# request} other {# requests}}, {nodes, plural, one {# node} other {# nodes}}',
          { samples: side.samples, nodes: side.nodes },
        )}
      </div>
      {side.probed > 0 && (
        <div className="dim">
          {t('with {probed, plural, one {# probe} other {# probes}}', { probed: side.probed })}
        </div>
      )}
    </td>
  )
}
