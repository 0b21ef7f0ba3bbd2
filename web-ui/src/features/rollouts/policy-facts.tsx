// SPDX-License-Identifier: MIT
import { Facts } from '../../components/facts.tsx'
import type { Policy } from '../../lib/api-types.ts'
import classes from './rollouts.module.css'
import { gateSentence, knobs, knobText, onFailureWords } from './strategy-words.ts'

/** Every value that a rollout goes by. */
export function PolicyFacts({ policy }: { policy: Policy }) {
  const limits = knobs.map((knob) => ({
    name: knob.label,
    value: (
      <>
        {knobText(policy, knob) ?? 'no limit'} <span className="dim">{knob.help}</span>
      </>
    ),
  }))
  const gates =
    policy.gates.length === 0 ? (
      'none: time alone decides'
    ) : (
      <ul>
        {policy.gates.map((gate) => (
          <li key={gateSentence(gate)}>{gateSentence(gate)}</li>
        ))}
      </ul>
    )
  return (
    <details className={`panel ${classes.policy}`}>
      <summary>What holds for it: limits and gates</summary>
      <div className="panel-body">
        <Facts
          facts={[
            { name: 'Gates', value: gates },
            { name: 'When a node fails', value: onFailureWords[policy.onFailure] },
            ...limits,
          ]}
        />
      </div>
    </details>
  )
}
