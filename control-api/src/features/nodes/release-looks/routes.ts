// SPDX-License-Identifier: MIT
// Has the nodes that serve a version ask themselves for some of its files: they can wherever they stand, behind NAT as well.
import { randomInt } from 'node:crypto'
import type { Kysely } from 'kysely'
import { scopeOf } from '../../../access/scope.ts'
import { ReleaseVersionNotFound } from '../../../api-shapes/errors.ts'
import { inSlices } from '../../../base/slices.ts'
import type { Database } from '../../../db/database.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import type { ProbeOrders } from '../../../fleet/probe-orders.ts'
import type { App } from '../../../http/app-types.ts'
import { capabilitiesOf } from '../../../node-identity/store/nodes.ts'
import { type SampledFile, type SampleOf, urlPathOf } from '../../../release-store/sample.ts'
import { findVersion } from '../../../releases/store.ts'
import type { FarmIndex } from '../farm-index.ts'
import type { ReleaseNodes } from '../release-nodes.ts'
import type { ReleaseNode } from '../schema.ts'
import { LookBook } from './book.ts'
import { NobodyServesIt, NothingToAskFor } from './errors.ts'
import { MOST_FILES, MOST_NODES, ReleaseLookParamsSchema, ReleaseLookSchema } from './schema.ts'

type Deps = {
  db: Kysely<Database>
  now: () => number
  index: Pick<FarmIndex, 'nodes'>
  nodesOf: ReleaseNodes
  fleet: Pick<Fleet, 'presence'>
  probes: Pick<ProbeOrders, 'give'>
  sampleOf: SampleOf
}

const PER_SECOND = 20
const SEEDS = 2 ** 31
/** A statement takes so many values. */
const AT_ONCE = 100

export const releaseLookRoutes =
  ({ db, now, index, nodesOf, fleet, probes, sampleOf }: Deps) =>
  async (app: App) => {
    const book = new LookBook(now)

    app.get(
      '/releases/:name/versions/:number/look',
      {
        config: { permission: 'nodes:read', scope: 'nodes', errors: [ReleaseVersionNotFound] },
        schema: {
          operationId: 'getReleaseLook',
          tags: ['releases'],
          summary: 'What nodes answered that were asked for files of a version',
          description: 'As far as they have: ask again while some are waiting.',
          params: ReleaseLookParamsSchema,
          response: { 200: ReleaseLookSchema },
        },
      },
      async ({ params: { name, number }, user }) => {
        await versionOf(name, number)
        const seen = new Set((await index.nodes(scopeOf(user))).map(({ node }) => node.id))
        return book.lookAt(`${name}@${number}`, (nodeId) => seen.has(nodeId))
      },
    )

    app.post(
      '/releases/:name/versions/:number/look',
      {
        config: {
          ...{ permission: 'rollouts:run', scope: 'nodes', heavy: true },
          errors: [ReleaseVersionNotFound, NobodyServesIt, NothingToAskFor],
        },
        schema: {
          operationId: 'startReleaseLook',
          tags: ['releases'],
          summary: 'Have nodes that serve a version ask themselves for some of its files',
          description: `At most ${MOST_NODES} nodes, each for at most ${MOST_FILES} files, others each time. They say status and SHA-256 with their next reports; GET tells what came. Nothing changes.`,
          params: ReleaseLookParamsSchema,
          response: { 202: ReleaseLookSchema },
        },
      },
      async ({ params: { name, number }, user }, reply) => {
        const { manifest } = await versionOf(name, number)
        const scope = scopeOf(user)
        const { items } = await nodesOf(name, { version: number, limit: MOST_NODES }, scope)
        if (items.length === 0) throw new NobodyServesIt(name, number)
        const drawn = { manifest, before: null, seed: randomInt(SEEDS), most: MOST_FILES }
        const files = (await sampleOf(drawn)) ?? []
        if (files.length === 0) throw new NothingToAskFor(name, number)

        const release = `${name}@${number}`
        const able = await ableOf(items.map(({ id }) => id))
        book.begin(release, files.length)
        for (const node of items) {
          if (!fleet.presence(node.id).connected) book.notAsked(release, node, 'away')
          else if (!able.has(node.id)) book.notAsked(release, node, 'unable')
          else askNode(release, node, files)
        }
        const asked = new Set(items.map(({ id }) => id))
        return reply.code(202).send(book.lookAt(release, (nodeId) => asked.has(nodeId)))
      },
    )

    function askNode(
      release: string,
      { id, name, host }: ReleaseNode,
      files: readonly SampledFile[],
    ): void {
      const all = files.map(({ path, sha256 }) => ({ path: urlPathOf(path), sha256 }))
      const shown = all.map(({ path, sha256 }) => ({ url: `${host ?? ''}${path}`, sha256 }))
      const onProbed = book.asked(release, { id, name }, shown)
      const paths = all.map(({ path }) => ({ ...(host !== null && { host }), path }))
      probes.give(id, { count: paths.length, perSecond: PER_SECOND, paths }, onProbed)
    }

    async function versionOf(name: string, number: number) {
      const version = await findVersion(db, name, number)
      if (!version) throw new ReleaseVersionNotFound(name, number)
      return version
    }

    /** Those that can say what they answer themselves. */
    async function ableOf(nodeIds: readonly string[]): Promise<Set<string>> {
      const able = new Set<string>()
      for (const some of inSlices(nodeIds, AT_ONCE)) {
        for (const [id, capabilities] of await capabilitiesOf(db, some))
          if (capabilities.includes('probeAnswers')) able.add(id)
      }
      return able
    }
  }
