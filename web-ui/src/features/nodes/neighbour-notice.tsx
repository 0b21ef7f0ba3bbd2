// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Notice } from '../../components/notice.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
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
      title={`${name} gave a neighbour wrong bytes of a release`}
      action={<Link to="/settings/neighbours">Neighbours</Link>}
    >
      Told by {distrusted.toldBy.name}, <TimeAgo at={distrusted.at} />. Others are not sent to it
      until somebody trusts it again.
    </Notice>
  )
}
