// SPDX-License-Identifier: MIT
import { StatusBadge } from '../../components/status-badge.tsx'
import type { Rollout } from '../../lib/api-types.ts'
import { formatCount, plural } from '../../lib/format.ts'
import classes from './rollouts.module.css'
import { isOver, isWaiting, soakText, waveState, waveVerdict } from './rules.ts'

type Wave = Rollout['waves'][number]

/** Which part of the farm comes when, and where the rollout is. */
export function Waves({ rollout }: { rollout: Rollout }) {
  const { soakSeconds, maxParallel } = rollout.policy
  return (
    <section className="panel" aria-labelledby="waves-heading">
      <div className="panel-head">
        <h2 id="waves-heading">Waves</h2>
        <span className="dim">
          {maxParallel !== null && `at most ${plural(maxParallel, 'node')} at a time`}
          {soakSeconds > 0 && `, each wave watched for ${soakSeconds} s`}
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
        <strong>Wave {wave.index + 1}</strong>
        <span className="dim">
          {formatCount(wave.done)} of {formatCount(wave.nodes)}
        </span>
      </div>
      <progress
        className={classes.progress}
        max={Math.max(1, wave.nodes)}
        value={wave.done}
        aria-label={`Wave ${wave.index + 1}: ${wave.done} of ${wave.nodes} done`}
      />
      <StatusBadge verdict={waveVerdict[state]} />
      {soak !== null && <span className="dim">{soak}</span>}
    </li>
  )
}
