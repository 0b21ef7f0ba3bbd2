// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Notice } from '../../components/notice.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Node } from '../../lib/api-types.ts'
import { nodeNeighbourQuery } from './api.ts'

/** It gave others wrong bytes. Of a node that never gave anything nobody asks. */
export function NeighbourNotice({ node: { id, name, gauges } }: { node: Node }) {
  const found = useQuery({ ...nodeNeighbourQuery(id), enabled: 'neighbourGivenBytes' in gauges })
  const distrusted = found.data?.distrusted
  if (!distrusted) return null
  return (
    <Notice
      tone="warn"
      title={t('{name} gave a neighbour wrong bytes of a release', { name })}
      action={<Link to="/settings/neighbours">{t('Neighbours')}</Link>}
    >
      <T
        text="Told by {name}, {at}. Others are not sent to it until somebody trusts it again."
        name={distrusted.toldBy.name}
        at={<TimeAgo at={distrusted.at} />}
      />
    </Notice>
  )
}
