// SPDX-License-Identifier: MIT
// Nodes that will refuse a plan, because the owners of their machines do not allow it: who, and why.

import { Checkbox } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { ConfigErrors } from '../../components/config-errors.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../languages/t.ts'
import type { RolloutPlan } from '../../lib/api-types.ts'
import { refusalKey, refusalTitle, uncheckedSentence } from './refusal-rules.ts'
import classes from './rollouts.module.css'

type Finding = RolloutPlan['policyRefusals']['findings']['items'][number]

export function PlanRefusals({ plan }: { plan: RolloutPlan }) {
  const { config, policyRefusals } = plan
  const { nodes, findings, unchecked } = policyRefusals
  const more = findings.total - findings.items.length
  return (
    <>
      {nodes > 0 && (
        <Notice tone="bad" title={refusalTitle(policyRefusals)}>
          <p>
            {t(
              'What it asks for is not what the owners of the machines allow. Such a node goes on with what it has, and the rollout pauses at the first. Change the version or an override, leave them out, or have it allowed on the machines.',
            )}
          </p>
          <ul className={classes.refusals}>
            {together(findings.items).map(({ key, of, errors }) => (
              <li key={key}>
                <Names of={of} />
                <ConfigErrors config={config} errors={errors} />
              </li>
            ))}
            {more > 0 && (
              <li className="dim">
                {t('and {more, plural, one {# more finding} other {# more findings}}', { more })}
              </li>
            )}
          </ul>
        </Notice>
      )}
      {unchecked > 0 && (
        <Notice
          tone="warn"
          title={t(
            'Not known of {unchecked, plural, one {# node} other {# nodes}} whether they refuse',
            { unchecked },
          )}
        >
          {uncheckedSentence(policyRefusals)}
        </Notice>
      )}
    </>
  )
}

/** What the same nodes will refuse stands together. */
function together(items: readonly Finding[]) {
  const groups = Map.groupBy(items, ({ nodes }) => JSON.stringify(nodes))
  return [...groups].flatMap(([key, found]) => {
    const [first] = found
    return first ? [{ key, of: first.nodes, errors: found.map(({ error }) => error) }] : []
  })
}

function Names({ of: { total, items } }: { of: Finding['nodes'] }) {
  const more = total - items.length
  return (
    <span>
      {items.map(({ nodeId, nodeName }, index) => (
        <Fragment key={nodeId}>
          {index > 0 && ', '}
          <Link to="/nodes/$id" params={{ id: nodeId }}>
            {nodeName}
          </Link>
        </Fragment>
      ))}
      {more > 0 && t(' and {more} more', { more })}
    </span>
  )
}

/** To start it all the same is to be said once more, and again for every other plan. */
export function useRefusalConsent(plan: RolloutPlan | undefined) {
  const [agreedTo, setAgreedTo] = useState<string | null>(null)
  const nodes = plan?.policyRefusals.nodes ?? 0
  if (plan === undefined || nodes === 0) return { blockedBy: null, field: null }
  const key = refusalKey(plan)
  const isAgreed = agreedTo === key
  return {
    blockedBy: isAgreed
      ? null
      : t('{refusalTitle}: tick the box to start anyway.', {
          refusalTitle: refusalTitle({ nodes }),
        }),
    field: (
      <Checkbox
        label={t(
          'Start it, although {nodes, plural, one {# node} other {# nodes}} will refuse it',
          { nodes },
        )}
        checked={isAgreed}
        onChange={({ currentTarget: { checked } }) => setAgreedTo(checked ? key : null)}
      />
    ),
  }
}
