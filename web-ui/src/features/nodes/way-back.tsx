// SPDX-License-Identifier: MIT
// From what a node runs to the version before it, where the last rollout of its config brought it.

import { useQuery } from '@tanstack/react-query'
import { RolloutLink } from '../../components/rollout-link.tsx'
import { t } from '../../languages/t.ts'
import type { Node, Session } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'
import { versionBefore } from '../../lib/way-back.ts'
import { lastRolloutQuery } from './api.ts'

export function WayBack({ node: { sync }, session }: { node: Node; session: Session }) {
  const runs = sync.effective?.version ?? null
  const isAllowed = may(session, 'rollouts:run')
  const last = useQuery({
    ...lastRolloutQuery(runs?.config ?? ''),
    enabled: runs !== null && isAllowed,
  })
  if (runs === null || !isAllowed || !last.data || last.data.version !== runs.number) return null
  const before = versionBefore(last.data)
  if (before === null) return null
  const { config, selector } = last.data
  const latest = Math.max(runs.number, before)
  return (
    <p className="row">
      <RolloutLink {...{ config, version: before, latest, selector, session }} />
      <span className="dim">
        {t('plans it for all nodes that v{number} went to; nothing changes before you start it.', {
          number: runs.number,
        })}
      </span>
    </p>
  )
}
