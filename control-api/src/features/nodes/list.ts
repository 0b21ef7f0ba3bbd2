// SPDX-License-Identifier: MIT
// A page of the nodes' list: chosen and sorted in the index of the farm, and only its rows read and shown.
import type { Kysely } from 'kysely'
import type { Static } from 'typebox'
import type { Scope } from '../../access/scope.ts'
import { defineCursor, InvalidCursor } from '../../api-shapes/cursor.ts'
import { readSelector } from '../../api-shapes/selector.ts'
import { indexAfter } from '../../base/sorted.ts'
import type { Database } from '../../db/database.ts'
import type { Metrics } from '../../metrics-store/metrics.ts'
import type { NodeRow } from '../../node-identity/store/nodes.ts'
import { CursorAndOffset, TooManyToMeasure } from './errors.ts'
import type { FarmIndex } from './farm-index.ts'
import { comparing, isMeasured, isWanted, sortValueOf, type Value } from './list-rules.ts'
import type { NodeSort, NodesQuerySchema } from './schema.ts'
import { nodesOf } from './store.ts'

type Deps = {
  db: Kysely<Database>
  index: FarmIndex
  metrics: Pick<Metrics, 'latencySummaries'>
}
type Asked = Static<typeof NodesQuerySchema>
type NodePage = { rows: NodeRow[]; total: number; nextCursor: string | null }

export const LATENCY_WINDOW_SECONDS = 60
const NO_LATENCIES = new Map()

export const createNodesPage =
  ({ db, index, metrics }: Deps) =>
  async (query: Asked, scope: Scope): Promise<NodePage> => {
    const { limit = 100, offset, cursor, sort = 'name', order = 'asc', ...filter } = query
    if (cursor !== undefined && offset !== undefined) throw new CursorAndOffset()
    const selector = readSelector(query.selector ?? '')
    const cursors = cursorOf(sort, order)
    const [key, name = ''] = cursors.read(cursor) ?? []
    const found = (await index.nodes(scope)).filter(isWanted({ ...filter, selector }))
    const latencies = isMeasured(sort)
      ? await metrics.latencySummaries(idsToMeasure(found, sort), LATENCY_WINDOW_SECONDS)
      : NO_LATENCIES
    const places = found.map((one) => ({
      ...{ id: one.node.id, name: one.node.name },
      value: sortValueOf(sort, one, latencies),
    }))
    const compare = comparing(order === 'desc')
    // They come by name.
    if (sort !== 'name' || order === 'desc') places.sort(compare)
    const from =
      key === undefined
        ? (offset ?? 0)
        : indexAfter(places, { value: valueFrom(key, sort), name }, compare)
    const page = cursors.page(places.slice(from, from + limit + 1), limit, (place) => [
      keyFrom(place.value),
      place.name,
    ])
    const ids = page.rows.map(({ id }) => id)
    return { rows: await nodesOf(db, ids), total: found.length, nextCursor: page.nextCursor }
  }

/** In another order the place after which a page begins is another. */
const cursorOf = (sort: NodeSort, order: 'asc' | 'desc') =>
  defineCursor(`nodes by ${sort} ${order}`, 'text', 'text')

const keyFrom = (value: Value) => (value === null ? '' : String(value))
const isText = (sort: NodeSort) => sort === 'name' || sort === 'group'
function valueFrom(key: string, sort: NodeSort): Value {
  if (key === '') return null
  if (isText(sort)) return key
  if (Number.isNaN(Number(key))) throw new InvalidCursor()
  return Number(key)
}

/** A millisecond for twenty or thirty: of many nobody else would have a turn meanwhile. */
const MOST_MEASURED = 1000

function idsToMeasure(found: readonly { node: { id: string } }[], sort: NodeSort): string[] {
  if (found.length > MOST_MEASURED) throw new TooManyToMeasure(sort, found.length, MOST_MEASURED)
  return found.map(({ node }) => node.id)
}
