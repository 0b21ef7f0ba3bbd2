// SPDX-License-Identifier: MIT
import { Link } from '@tanstack/react-router'
import { ButtonLink } from '../../../components/links.tsx'
import { Notice } from '../../../components/notice.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
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
      <Notice tone="info" live title={`Discarded by ${actor}`}>
        <TimeAgo at={at} />. {node.name} gets what it was assigned once more, as soon as it asks.
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
          ? `Kept as a version by ${actor}`
          : `Kept as ${adopted.config} v${adopted.number}`
      }
      {...(adopted !== null && {
        action: (
          <ButtonLink
            to="/rollouts/new"
            search={{ config: adopted.config, version: adopted.number }}
            variant="default"
            size="xs"
          >
            New rollout of v{adopted.number}
          </ButtonLink>
        ),
      })}
    >
      <TimeAgo at={at} />. The next rollout to {node.name} replaces what is on its machine.{' '}
      {config !== null && (
        <Link to="/configs/$name/versions" params={{ name: config }}>
          Versions of {config}
        </Link>
      )}
    </Notice>
  )
}
