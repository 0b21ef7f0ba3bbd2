// SPDX-License-Identifier: MIT
import { api, bodyOf } from '../../../lib/api-client.ts'
import { isApiError } from '../../../lib/api-error.ts'
import type { NodeList, NodesAnswer, NodesChange } from '../../../lib/api-types.ts'
import { isSelected, type Selection } from './selection.ts'

const PAGE_SIZE = 500

/** Of all that are selected, as they are listed now: what is shown before is what is changed after. */
export async function selectedIds(selection: Selection, list: NodeList): Promise<string[]> {
  if (selection.kind === 'some') return [...selection.ids]
  const { sort: _, order: __, ...filter } = list
  const ids: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { ...filter, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) }
    const page = await bodyOf(api.GET('/api/v1/nodes', { params: { query } }))
    ids.push(...page.items.map(({ id }) => id).filter((id) => isSelected(selection, id)))
    cursor = page.nextCursor
  }
  return ids
}

type Part = { nodeIds: string[]; change: NodesChange }

export const tryPart = ({ nodeIds, change }: Part): Promise<NodesAnswer> =>
  bodyOf(
    api.POST('/api/v1/nodes/actions/change', {
      params: { query: { dryRun: '1' } },
      body: { nodeIds, change },
    }),
  )

/** `crypto.randomUUID` is missing from pages that came over plain HTTP. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

/** The part's answer was too large to keep, or was lost with the control plane. */
const ANSWER_GONE: ReadonlySet<string> = new Set(['already_done', 'outcome_unknown'])

/**
 * `key`: of this part alone, so that it is done once even if its answer was lost and it is sent again. Where that answer is gone
 * for good, the part is asked for anew: what is so already stays as it is.
 */
export async function changePart(part: Part, key: string): Promise<NodesAnswer> {
  try {
    return await sendPart(part, key)
  } catch (error) {
    if (!isApiError(error, 409) || !ANSWER_GONE.has(error.code)) throw error
    return await sendPart(part, newKey())
  }
}

const sendPart = ({ nodeIds, change }: Part, key: string): Promise<NodesAnswer> =>
  bodyOf(
    api.POST('/api/v1/nodes/actions/change', {
      params: { header: { 'idempotency-key': key } },
      body: { nodeIds, change },
    }),
  )
