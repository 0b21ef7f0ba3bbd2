// SPDX-License-Identifier: MIT
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import type { Rollout } from '../../lib/api-types.ts'
import { gateName, gateVerdict } from './rules.ts'

type Evidence = NonNullable<Rollout['evidence']>

/** What a wave's nodes show beside the others: the numbers a decision rests on. */
export function EvidencePanel({ evidence }: { evidence: Evidence }) {
  return (
    <section className="panel" aria-labelledby="evidence-heading">
      <div className="panel-head">
        <h2 id="evidence-heading">Evidence of wave {evidence.wave + 1}</h2>
        <StatusBadge verdict={gateVerdict[evidence.verdict]} />
        <span className="dim">
          <TimeAgo at={evidence.at} />
        </span>
      </div>
      <div className="scroll-x">
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">Gate</th>
              <th scope="col">Verdict</th>
              <th scope="col">What it rests on</th>
              <th scope="col" className="num">
                Requests
              </th>
              <th scope="col" className="num">
                Of the others
              </th>
            </tr>
          </thead>
          <tbody>
            {evidence.gates.map((gate) => (
              <tr key={gate.metric}>
                <td>{gateName[gate.metric]}</td>
                <td>
                  <StatusBadge verdict={gateVerdict[gate.verdict]} />
                </td>
                <td>{gate.message}</td>
                <td className="num">{gate.canary.samples}</td>
                <td className="num">{gate.control.samples}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
