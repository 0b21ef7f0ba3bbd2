// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { ButtonLink } from '../../../components/links.tsx'
import { Notice } from '../../../components/notice.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { DriftAnswer, Node } from '../../../lib/api-types.ts'
import type { Drift } from './drift-rules.ts'

export type DecisionNoticeProps = {
  node: Node
  decision: Drift['decision']
  /** Known to who decided just now; later the list of versions tells. */
  adopted: DriftAnswer['version']
}

export function DecisionNotice({ node, decision, adopted }: DecisionNoticeProps) {
  if (decision === null) return null
  const { action, actor, at } = decision
  if (action === 'discard') {
    return (
      <Notice tone="info" live title={t('Discarded by {actor}', { actor })}>
        <T
          text="{at}. {name} gets what it was assigned once more, as soon as it asks."
          at={<TimeAgo at={at} />}
          name={node.name}
        />
      </Notice>
    )
  }
  const config = adopted?.config ?? node.sync.desired?.version?.config ?? null
  return (
    <Notice
      tone="good"
      live
      title={
        adopted === null
          ? t('Kept as a version by {actor}', { actor })
          : t('Kept as {config} v{number}', { config: adopted.config, number: adopted.number })
      }
      {...(adopted !== null && {
        action: (
          <ButtonLink
            to="/rollouts/new"
            search={{ config: adopted.config, version: adopted.number }}
            variant="default"
            size="xs"
          >
            {t('New rollout of v{number}', { number: adopted.number })}
          </ButtonLink>
        ),
      })}
    >
      <T
        text="{at}. The next rollout to {name} replaces what is on its machine."
        at={<TimeAgo at={at} />}
        name={node.name}
      />{' '}
      {config !== null && (
        <Link to="/configs/$name/versions" params={{ name: config }}>
          {t('Versions of {config}', { config })}
        </Link>
      )}
    </Notice>
  )
}
