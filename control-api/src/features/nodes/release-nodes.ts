// SPDX-License-Identifier: MIT
// Which nodes run a release, by name: looked up some nodes at a time, until a page is full. Each page begins where the one
// before ended, so that to read all of them is one walk through the farm.
import type { Kysely } from 'kysely'
import type { Static } from 'typebox'
import type { Scope } from '../../access/scope.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { partsByText, renderedTexts } from '../../assignments/store.ts'
import { inSlices, nextTurn } from '../../base/slices.ts'
import type { Database } from '../../db/database.ts'
import { hostsOfReleases } from '../../fleet/release-hosts.ts'
import type { FarmIndex, KeptNode } from './farm-index.ts'
import type { KnownListeners } from './known-listeners.ts'
import type { ReleaseNode, ReleaseNodesQuerySchema } from './schema.ts'
import { urlsOf } from './urls.ts'

type Deps = {
  db: Kysely<Database>
  index: Pick<FarmIndex, 'nodes'>
  knownListeners: KnownListeners
}
type Asked = Static<typeof ReleaseNodesQuerySchema>
type Running = { node: Readonly<KeptNode>; textId: string; version: number }

/** Looked at between two turns of the loop. */
const AT_ONCE = 100
const cursors = defineCursor('release-nodes', 'text')

export type ReleaseNodes = ReturnType<typeof createReleaseNodes>
export const createReleaseNodes =
  ({ db, index, knownListeners }: Deps) =>
  async (release: string, asked: Asked, scope: Scope) => {
    const { limit = 100, version } = asked
    const [after = ''] = cursors.read(asked.cursor) ?? []
    const nodes = (await index.nodes(scope)).map(({ node }) => node)
    const found: Running[] = []
    for (const some of inSlices(
      nodes.filter(({ name }) => name > after),
      AT_ONCE,
    )) {
      const running = await runningIn(db, some, release)
      found.push(...running.filter((one) => version === undefined || one.version === version))
      if (found.length > limit) break
      await nextTurn()
    }
    const { rows, nextCursor } = cursors.page(found, limit, ({ node }) => [node.name])
    return { items: await shown(rows, release), nextCursor }

    async function shown(rows: readonly Running[], name: string): Promise<ReleaseNode[]> {
      const textIds = new Set(rows.map(({ textId }) => textId))
      const listenersOf = await knownListeners(textIds)
      const hosts = await hostsIn(db, textIds, name)
      return rows.map(({ node, textId, version: runs }) => ({
        ...{ id: node.id, name: node.name, version: runs },
        urls: urlsOf(listenersOf(textId), node.hostname),
        host: hosts.get(textId) ?? null,
      }))
    }
  }

async function runningIn(
  db: Kysely<Database>,
  nodes: readonly Readonly<KeptNode>[],
  release: string,
): Promise<Running[]> {
  const textIds = nodes.flatMap(({ running, textId }) => (running && textId ? [textId] : []))
  const parts = await partsByText(db, textIds)
  return nodes.flatMap((node) => {
    const { running, textId } = node
    if (!running || textId === undefined) return []
    const one = parts.get(textId)?.releases.find(({ name }) => name === release)
    return one ? [{ node, textId, version: one.number }] : []
  })
}

/** By text; one of which no name is known is left out. */
async function hostsIn(
  db: Kysely<Database>,
  textIds: Iterable<string>,
  release: string,
): Promise<Map<string, string>> {
  const hosts = new Map<string, string>()
  for (const textId of textIds) {
    const text = (await renderedTexts(db, [textId])).get(textId)
    const host = text === undefined ? null : hostsOfReleases(text).get(release)
    if (host) hosts.set(textId, host)
    await nextTurn()
  }
  return hosts
}
