// SPDX-License-Identifier: MIT
import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../../lib/api-types.ts'
import { shortId } from '../../lib/people-words.ts'

type Props = { entry: Pick<AuditEntry, 'kind' | 'object' | 'objectName'> }

/** To the thing it is about, when it has a page. */
export function ObjectLink({ entry: { kind, object, objectName } }: Props) {
  if (kind === 'node' && object.startsWith('node_')) {
    return (
      <Link to="/nodes/$id" params={{ id: object }}>
        {objectName ?? shortId(object)}
      </Link>
    )
  }
  if (kind === 'rollout') {
    return (
      <Link to="/rollouts/$id" params={{ id: object }} title={object}>
        {shortId(object)}
      </Link>
    )
  }
  if (kind === 'config') {
    return (
      <Link to="/configs/$name" params={{ name: object }}>
        {object}
      </Link>
    )
  }
  if (kind === 'certificate') {
    return (
      <Link to="/certificates/$name" params={{ name: object }}>
        {object}
      </Link>
    )
  }
  if (kind === 'webhook') {
    return (
      <Link to="/settings/webhooks/$id" params={{ id: object }} title={object}>
        {shortId(object)}
      </Link>
    )
  }
  return <span title={object}>{shortId(object)}</span>
}
