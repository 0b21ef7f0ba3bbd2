// SPDX-License-Identifier: MIT
// A version as this node gets it or would get it, with all that made it so.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { NameSchema, NodeIdSchema } from '../../api-shapes/common.ts'
import { NodeNotFound, VersionNotFound } from '../../api-shapes/errors.ts'
import type { Database } from '../../db/database.ts'
import type { OpenPreviews, Previews, ReadGrouping, VersionRef } from '../../fleet/config-ports.ts'
import type { App } from '../../http/app-types.ts'
import { targetOf } from '../../labels/grouping.ts'
import { activeNode } from '../../node-identity/store/nodes.ts'
import { NothingToRender, VersionIncomplete } from './errors.ts'
import { RenderedConfigSchema } from './schema.ts'
import { versionGiven } from './version-given.ts'

type Deps = { db: Kysely<Database>; readGrouping: ReadGrouping; openPreviews: OpenPreviews }

export const nodeRenderedRoutes =
  ({ db, readGrouping, openPreviews }: Deps) =>
  async (app: App) => {
    app.get(
      '/nodes/:id/rendered',
      {
        config: {
          permission: 'nodes:read',
          heavy: true,
          errors: [NodeNotFound, VersionIncomplete, VersionNotFound, NothingToRender],
        },
        schema: {
          operationId: 'getNodeRendered',
          tags: ['nodes'],
          summary:
            'A version as this node would get it now, with what each layer and variable adds',
          description:
            'Without config and version: the one it should run, else the one its group’s new nodes get. It was rendered when it was rolled out; what has changed since comes with the next rollout.',
          params: Type.Object({ id: NodeIdSchema }),
          querystring: Type.Object({
            config: Type.Optional(NameSchema),
            version: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
          }),
          response: { 200: RenderedConfigSchema },
        },
      },
      async ({ params: { id }, query: { config, version } }) => {
        const node = await activeNode(db, id)
        if ((config === undefined) !== (version === undefined)) throw new VersionIncomplete()
        const grouping = await readGrouping(db)
        const target = targetOf(grouping, node)
        const previews = openPreviews()
        const { group } = target
        const to = { group, claimed: grouping.claimed }
        const wanted =
          config !== undefined && version !== undefined
            ? { config, number: version }
            : ((await versionGiven(db, id)) ?? (await previews.released(to)))
        if (!wanted) throw new NothingToRender(node.name)
        const versionText = await textOf(previews, wanted)
        const { text, digest, errors, variables } = await previews.render(wanted, target)
        return {
          version: wanted,
          text,
          digest,
          errors,
          layers: {
            versionText,
            group: { name: group.name, mergePatch: group.mergePatch },
            node: { mergePatch: target.node.mergePatch },
            variables: [...variables].map(([name, value]) => ({ name, value })),
          },
        }
      },
    )
  }

async function textOf(previews: Previews, { config, number }: VersionRef): Promise<string> {
  const text = await previews.textOf({ config, number })
  if (text === null) throw new VersionNotFound(config, number)
  return text
}
