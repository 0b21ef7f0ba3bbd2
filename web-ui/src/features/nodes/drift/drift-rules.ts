// SPDX-License-Identifier: MIT

import type { Verdict } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import type { Node } from '../../../lib/api-types.ts'

export type Drift = NonNullable<Node['drift']>

export function driftVerdict({ isServed, errors }: Pick<Drift, 'isServed' | 'errors'>): Verdict {
  if (isServed) return { label: t('Served'), tone: 'warn', shape: 'diamond' }
  if (errors.length > 0)
    return { label: t('Not served: it has errors'), tone: 'bad', shape: 'square' }
  return { label: t('Not loaded yet'), tone: 'warn', shape: 'ring' }
}

/** What visitors get now, and what the node does with new versions. */
export function driftWords(
  name: string,
  { isServed, errors, decision }: Pick<Drift, 'isServed' | 'errors' | 'decision'>,
): string {
  const now = isServed
    ? t('Somebody edited config.jsonc in the state folder of {name}, and visitors get that.', {
        name,
      })
    : errors.length > 0
      ? t(
          'Somebody edited config.jsonc in the state folder of {name} into a text with errors. It is not served: visitors get what they got before.',
          { name },
        )
      : t(
          'Somebody edited config.jsonc in the state folder of {name}. It is not loaded: visitors get what they got before, until the node is reloaded or started again.',
          { name },
        )
  if (decision !== null) return now
  return t('{now} It takes no other version until this is kept or discarded.', { now })
}

export function whyNotAdopt(node: Pick<Node, 'sync'>, { errors }: Pick<Drift, 'errors'>) {
  if (errors.length > 0)
    return t('A version must be free of errors: fix it on the machine, or discard it.')
  if (node.sync.desired === null)
    return t('The node was given no version yet that this could follow.')
  return null
}
