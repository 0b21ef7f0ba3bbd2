// SPDX-License-Identifier: MIT

import { Facts } from '../../components/facts.tsx'
import { t } from '../../languages/t.ts'
import type { Policy } from '../../lib/api-types.ts'
import classes from './rollouts.module.css'
import { gateSentence, knobs, knobText, onFailureWords, probeText } from './strategy-words.ts'

/** Every value that a rollout goes by. */
export function PolicyFacts({ policy }: { policy: Policy }) {
  const limits = knobs.map((knob) => ({
    name: knob.label,
    value: (
      <>
        {knobText(policy, knob) ?? knob.none ?? t('no limit')}{' '}
        <span className="dim">{knob.help}</span>
      </>
    ),
  }))
  return (
    <details className={`panel ${classes.policy}`}>
      <summary>{t('Limits and gates of this rollout')}</summary>
      <div className="panel-body">
        <Facts
          facts={[
            {
              name: t('Gates'),
              value: (
                <Lines
                  lines={policy.gates.map(gateSentence)}
                  none={t('none: time alone decides')}
                />
              ),
            },
            {
              name: t('Probes'),
              value: (
                <Lines
                  lines={policy.probes.map(probeText)}
                  none={t('none: visitors’ requests only')}
                />
              ),
            },
            {
              name: t('When there are too few requests'),
              value:
                policy.onNoData === 'continue'
                  ? t('it goes on in the end')
                  : t('it pauses in the end'),
            },
            { name: t('When a node fails'), value: onFailureWords[policy.onFailure] },
            ...limits,
          ]}
        />
      </div>
    </details>
  )
}

const Lines = ({ lines, none }: { lines: readonly string[]; none: string }) =>
  lines.length === 0 ? (
    none
  ) : (
    <ul>
      {[...new Set(lines)].map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
