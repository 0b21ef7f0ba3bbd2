// SPDX-License-Identifier: MIT
import { StatusBadge } from '../../components/status-badge.tsx'
import type { Rollout } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { waveState, waveVerdict } from './rules.ts'

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
      <div className="scroll-x">
        <table className="grid">
          <thead>
            <tr>
              <th scope="col" className="num">
                Wave
              </th>
              <th scope="col">State</th>
              <th scope="col" className="num">
                Nodes done
              </th>
            </tr>
          </thead>
          <tbody>
            {rollout.waves.map((wave) => (
              <tr key={wave.index} aria-current={wave.index === rollout.wave ? 'step' : undefined}>
                <td className="num">{wave.index + 1}</td>
                <td>
                  <StatusBadge verdict={waveVerdict[waveState(wave.index, rollout)]} />
                </td>
                <td className="num">
                  {wave.done} of {wave.nodes}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
