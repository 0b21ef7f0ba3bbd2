// SPDX-License-Identifier: MIT
// What a running node would answer URLs with now, with the files that are there: it looks on its own disk, with its own rights.
// Of what its config says alone, explain-routes.ts tells more.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { NodeIdSchema } from '../../api-shapes/common.ts'
import { NodeNotFound } from '../../api-shapes/errors.ts'
import { sha256 } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { CheckAnswer, CheckQuestion } from '../../fleet/questions.ts'
import type { App } from '../../http/app-types.ts'
import { activeNode } from '../../node-identity/store/nodes.ts'
import { limits } from '../../plugins/limits.ts'
import { NodeDidNotAnswer, TooManyAsk } from './errors.ts'
import { AskStatusesSchema, StatusesSchema } from './statuses-schema.ts'

type Deps = {
  db: Kysely<Database>
  fleet: Pick<Fleet, 'presence'>
  askNode(
    nodeId: string,
    question: CheckQuestion,
    withinMs: number,
  ): Promise<CheckAnswer | null | 'busy'>
}

const WITHIN_MS = 5_000
/** A node is asked what it answers beside what it would with a text. Nobody wants to know the latter. */
const NO_TEXT = { text: '{}', digest: `sha256:${sha256('{}')}` }
/** What a node can be asked about; a port makes no other site. */
const ASKABLE = /^https?:\/\/([A-Za-z0-9.-]{1,253})(?::\d+)?([/?][!-"$-~]*)?$/

export const nodeStatusesRoutes =
  ({ db, fleet, askNode }: Deps) =>
  async (app: App) => {
    app.post(
      '/nodes/:id/statuses',
      {
        config: {
          permission: 'nodes:read',
          rateLimit: limits.expensive,
          idempotency: false,
          errors: [NodeNotFound, NodeDidNotAnswer, TooManyAsk],
        },
        schema: {
          operationId: 'askStatuses',
          tags: ['nodes'],
          summary: 'Which status a node would answer URLs with now, asked of the node',
          description:
            'For a GET of a stranger, by its rules and the files that are there and that it may read; a redirect to HTTPS is left out. ' +
            'Nothing is fetched and nothing counted. 504 `node_did_not_answer` when it does not say so within five seconds.',
          params: Type.Object({ id: NodeIdSchema }),
          body: AskStatusesSchema,
          response: { 200: StatusesSchema },
        },
      },
      async ({ params: { id }, body: { urls } }) => {
        const node = await activeNode(db, id)
        if (!fleet.presence(id).connected) {
          throw new NodeDidNotAnswer(node.name, 'is not connected')
        }
        const asked = urls.map(pathOf)
        const paths = asked.filter((one) => one !== null)
        const said = await askNode(id, { ...NO_TEXT, paths }, WITHIN_MS)
        if (said === 'busy') throw new TooManyAsk(node.name, 'answer')
        if (said === null) {
          throw new NodeDidNotAnswer(node.name, 'is connected, but did not say so in time')
        }
        const running = said.paths.map((one) => one.running)
        const items = urls.map((url, i) => {
          const isAsked = asked[i] !== null
          return { url, status: (isAsked ? running.shift() : null) ?? null }
        })
        return { nodeId: id, items }
      },
    )
  }

function pathOf(url: string): { host: string; path: string } | null {
  const [, host, path = '/'] = ASKABLE.exec(url) ?? []
  if (host === undefined) return null
  return { host, path: path.startsWith('/') ? path : `/${path}` }
}
