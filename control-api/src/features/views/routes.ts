// SPDX-License-Identifier: MIT
// What somebody looks at again and again. Nobody else's business, and no change of the farm: the audit has none of it.
import { Type } from 'typebox'
import { defineError } from '../../api-shapes/errors.ts'
import type { Write } from '../../audit/write.ts'
import type { Reader } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import {
  MOST_VIEWS,
  PutViewSchema,
  type View,
  ViewListSchema,
  ViewNameSchema,
  ViewSchema,
  ViewsSchema,
} from './schema.ts'
import { deleteView, saveView, type ViewRow, viewsOf } from './store.ts'

type Deps = { db: Reader; write: Write; now: () => number }

const tags = ['session']
/** Not every one that is named is there: saving makes it. */
const params = Type.Object({ list: ViewListSchema, view: ViewNameSchema })

const ViewNotFound = defineError(
  404,
  'view_not_found',
  'No such view',
  (name: string) => `You have saved no view "${name}" of this list. GET /api/v1/views shows yours.`,
)
const TooManyViews = defineError(
  409,
  'too_many_views',
  'You have saved many views',
  (most: number) => `Each person has at most ${most}. Delete one that you no longer use.`,
)

export const viewRoutes =
  ({ db, write, now }: Deps) =>
  async (app: App): Promise<void> => {
    app.get(
      '/views',
      {
        config: { permission: 'session:own', errors: [] },
        schema: {
          operationId: 'listViews',
          tags,
          summary: 'The views of lists that you have saved',
          response: { 200: ViewsSchema },
        },
      },
      async ({ user }) => ({ items: (await viewsOf(db, ownerOf(user))).map(viewOf) }),
    )

    app.put(
      '/views/:list/:view',
      {
        config: { permission: 'session:own', errors: [TooManyViews] },
        schema: {
          operationId: 'putView',
          tags,
          summary: 'Save a view of a list under a name; one of that name is replaced',
          params,
          body: PutViewSchema,
          response: { 200: ViewSchema },
        },
      },
      async ({ params: { list, view: name }, body, user }) => {
        const owner = ownerOf(user)
        const search = JSON.stringify(body.search)
        const row: ViewRow = { user_id: owner, list, name, search, saved_at_ms: now() }
        await write(async ({ trx }) => {
          const views = await viewsOf(trx, owner)
          const isKnown = views.some((one) => one.list === list && one.name === name)
          if (!isKnown && views.length >= MOST_VIEWS) throw new TooManyViews(MOST_VIEWS)
          await saveView(trx, row)
        })
        return viewOf(row)
      },
    )

    app.delete(
      '/views/:list/:view',
      {
        config: { permission: 'session:own', errors: [ViewNotFound] },
        schema: {
          operationId: 'deleteView',
          tags,
          summary: 'Delete a view that you have saved',
          params,
          response: { 204: Type.Null() },
        },
      },
      async ({ params: { list, view: name }, user }, reply) => {
        const user_id = ownerOf(user)
        const isGone = await write(({ trx }) => deleteView(trx, { user_id, list, name }))
        if (!isGone) throw new ViewNotFound(name)
        return reply.code(204).send(null)
      },
    )
  }

/** Nobody has none: every route that asks is behind the access check. */
function ownerOf(user: { id: string } | null): string {
  if (user === null) throw new Error('a public route asked whose views are meant')
  return user.id
}

const viewOf = ({ list, name, search, saved_at_ms }: ViewRow): View => ({
  list: list as View['list'],
  name,
  search: JSON.parse(search),
  savedAt: new Date(saved_at_ms).toISOString(),
})
