// SPDX-License-Identifier: MIT

import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Rollout } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'
import classes from './rollouts.module.css'
import { isOver, isWaiting, soakText, waveState, waveVerdict } from './rules.ts'

type Wave = Rollout['waves'][number]

/** Which part of the farm comes when, and where the rollout is. */
export function Waves({ rollout }: { rollout: Rollout }) {
  const { soakSeconds, maxParallel } = rollout.policy
  return (
    <section className="panel" aria-labelledby="waves-heading">
      <div className="panel-head">
        <h2 id="waves-heading">{t('Waves')}</h2>
        <span className="dim">
          {maxParallel !== null &&
            t('at most {maxParallel, plural, one {# node} other {# nodes}} at a time', {
              maxParallel,
            })}
          {soakSeconds > 0 && t(', each wave watched for {soakSeconds} s', { soakSeconds })}
        </span>
      </div>
      <ol className={classes.waves}>
        {rollout.waves.map((wave) => (
          <WaveStep key={wave.index} wave={wave} rollout={rollout} />
        ))}
      </ol>
    </section>
  )
}

function WaveStep({ wave, rollout }: { wave: Wave; rollout: Rollout }) {
  const state = waveState(wave.index, rollout)
  const isUnderWay = !isOver(rollout.state) && !isWaiting(rollout.state)
  const soak = state === 'soaking' ? soakText(rollout) : null
  return (
    <li
      className={classes.wave}
      data-state={state}
      aria-current={isUnderWay && wave.index === rollout.wave ? 'step' : undefined}
    >
      <div className={classes.stateLine}>
        <strong>{t('Wave {index}', { index: wave.index + 1 })}</strong>
        <span className="dim">
          {t('{done} of {nodes}', { done: formatCount(wave.done), nodes: formatCount(wave.nodes) })}
        </span>
      </div>
      <progress
        className={classes.progress}
        max={Math.max(1, wave.nodes)}
        value={wave.done}
        aria-label={t('Wave {index}: {done} of {nodes} done', {
          index: wave.index + 1,
          done: wave.done,
          nodes: wave.nodes,
        })}
      />
      <StatusBadge verdict={waveVerdict[state]} />
      {soak !== null && <span className="dim">{soak}</span>}
    </li>
  )
}
