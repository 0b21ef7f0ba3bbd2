// SPDX-License-Identifier: MIT
// Groups of nodes: which labels they have, which config they get, what differs on them.

import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { type Scope, scopeOf } from '../../access/scope.ts'
import {
  DryRunQuerySchema,
  IfMatchSchema,
  NameSchema,
  PageQuerySchema,
  pageOf,
} from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { SelectorInvalid } from '../../api-shapes/errors.ts'
import { ImpactSchema } from '../../api-shapes/impact.ts'
import type { Unit, Write } from '../../audit/write.ts'
import { sha256 } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import { etagOf, requireIfMatch } from '../../http/preconditions.ts'
import { OverrideTooLarge } from '../../json/merge-patch.ts'
import { DEFAULT_GROUP } from '../../labels/grouping.ts'
import { labelsOfNodes } from '../../node-identity/store/nodes.ts'
import { mergeObjects } from '../../plugins/merge-patch.ts'
import {
  ConfigUnknown,
  DefaultGroupFixed,
  GroupExists,
  GroupNotFound,
  OrderIncomplete,
  TooManyGroups,
} from './errors.ts'
import { groupChange, type Deps as ImpactDeps, impactOf } from './impact.ts'
import { groupNamed, inOrder, withChange, withNew, without } from './rules.ts'
import {
  type Group,
  GroupOrderSchema,
  GroupSchema,
  NewGroupSchema,
  PatchGroupSchema,
  PutGroupSchema,
} from './schema.ts'
import {
  allGroups,
  configExists,
  deleteGroup,
  type GroupRow,
  insertGroup,
  saveGroup,
  toGrouping,
} from './store.ts'

type Deps = ImpactDeps & { write: Write }
type Rows = readonly GroupRow[]
type Change = (rows: Rows) => Rows
type Made = { actor: string; action: 'created' | 'changed' | 'deleted'; name: string }

const settingsErrors = [DefaultGroupFixed, ConfigUnknown, SelectorInvalid, OverrideTooLarge]
const cursor = defineCursor('groups', 'text')
const tags = ['groups']
const params = Type.Object({ name: NameSchema })
/** What PUT makes of what is left out. */
const EMPTIED = { description: '', config: null, mergePatch: {}, forgetAfterHours: null }
const GroupOrImpactSchema = Type.Union([GroupSchema, ImpactSchema])
const change = { tags, params, headers: IfMatchSchema, querystring: DryRunQuerySchema }

export const groupRoutes = (deps: Deps) => async (app: App) => {
  const { db, write, now } = deps

  const preview = (how: Change) => impactOf(deps, groupChange(how))

  /** Stores what the change makes of the groups. `check` sees them as they are, in the same transaction. */
  const store = (how: Change, made: Made, check: (rows: Rows) => void) =>
    write(async (unit) => {
      const before = await allGroups(unit.trx)
      check(before)
      const after = how(before)
      await requireConfig(unit.trx, after.find((row) => row.name === made.name)?.config ?? null)
      await storeDifference(unit, before, after)
      const [old, now] = [before, after].map((rows) => rows.find((row) => row.name === made.name))
      const { name: id, action, actor } = made
      const data = { before: old ? settingsOf(old) : null, after: now ? settingsOf(now) : null }
      await unit.emit({ kind: 'group', id, action, actor, data })
      return after
    })

  const show = async (reply: FastifyReply, rows: Rows, name: string, scope: Scope = null) => {
    reply.header('etag', etagOf(groupNamed(rows, name).revision))
    const group = (await view(rows, scope)).find((one) => one.name === name)
    if (!group) throw new Error(`the group ${name} is not among its own`)
    return group
  }
  /** `scope`: of the nodes that are counted; who may change groups has the whole farm. */
  const view = async (rows: Rows, scope: Scope): Promise<Group[]> => {
    const grouping = toGrouping(rows)
    const counts = new Map<string, number>()
    for await (const some of labelsOfNodes(db, scope)) {
      for (const labels of some) {
        const { name } = grouping.of(JSON.parse(labels))
        counts.set(name, (counts.get(name) ?? 0) + 1)
      }
    }
    return rows.map((row, i) => viewGroup(row, i + 1, counts.get(row.name) ?? 0))
  }

  const requireConfig = async (reader: Kysely<Database>, config: string | null) => {
    if (config !== null && !(await configExists(reader, config))) throw new ConfigUnknown(config)
  }

  app.get(
    '/groups',
    {
      config: { permission: 'groups:read', scope: 'nodes', errors: [] },
      schema: {
        operationId: 'listGroups',
        tags,
        summary: 'All groups in order; a node belongs to the first that matches its labels',
        querystring: PageQuerySchema,
        response: { 200: pageOf(GroupSchema) },
      },
    },
    async ({ query: { cursor: given, limit = 100 }, user }) => {
      const groups = await view(await allGroups(db), scopeOf(user))
      const [after] = cursor.read(given) ?? []
      const from = groups.findIndex(({ name }) => name === after) + 1
      const found = groups.slice(from, from + limit + 1)
      const { rows, nextCursor } = cursor.page(found, limit, ({ name }) => [name])
      return { items: rows, nextCursor }
    },
  )

  app.get(
    '/groups/:name',
    {
      config: { permission: 'groups:read', scope: 'nodes', errors: [GroupNotFound] },
      schema: {
        operationId: 'getGroup',
        tags,
        summary: 'One group; its ETag is for changing it',
        params,
        response: { 200: GroupSchema },
      },
    },
    async ({ params: { name }, user }, reply) =>
      show(reply, await allGroups(db), name, scopeOf(user)),
  )

  app.post(
    '/groups',
    {
      config: {
        permission: 'groups:write',
        heavy: 'dryRun',
        errors: [GroupExists, TooManyGroups, ConfigUnknown, SelectorInvalid, OverrideTooLarge],
      },
      schema: {
        operationId: 'createGroup',
        tags,
        summary: 'Make a group; with dryRun=1 say what it would do',
        querystring: DryRunQuerySchema,
        body: NewGroupSchema,
        response: { 200: ImpactSchema, 201: GroupSchema },
      },
    },
    async (request, reply) => {
      const { name, config = null } = request.body
      const how: Change = (rows) => withNew(rows, request.body, now())
      if (request.query.dryRun === '1') {
        await requireConfig(db, config)
        return await preview(how)
      }
      const actor = request.user?.username ?? ''
      const rows = await store(how, { actor, action: 'created', name }, () => {})
      reply.code(201).header('location', `/api/v1/groups/${name}`)
      return await show(reply, rows, name)
    },
  )

  type Changing = {
    name: string
    ifMatch: string | undefined
    dryRun: boolean
    actor: string
    config: string | null
  }
  const changeGroup = async (reply: FastifyReply, how: Change, changing: Changing) => {
    const { name, ifMatch, dryRun, actor, config } = changing
    const check = (rows: Rows) => requireIfMatch(ifMatch, etagOf(groupNamed(rows, name).revision))
    if (dryRun) {
      check(await allGroups(db))
      await requireConfig(db, config)
      return await preview(how)
    }
    return await show(reply, await store(how, { actor, action: 'changed', name }, check), name)
  }

  app.put(
    '/groups/:name',
    {
      config: {
        permission: 'groups:write',
        heavy: 'dryRun',
        errors: [GroupNotFound, ...settingsErrors],
      },
      schema: {
        ...change,
        operationId: 'putGroup',
        summary: 'Replace a group’s settings; with dryRun=1 say what that would do',
        description: 'Nodes get what it makes of them with the next rollout to them.',
        body: PutGroupSchema,
        response: { 200: GroupOrImpactSchema },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const whole = { ...EMPTIED, ...request.body }
      const how: Change = (rows) => withChange(rows, name, whole, now())
      return await changeGroup(reply, how, { ...about(request), name, config: whole.config })
    },
  )

  app.patch(
    '/groups/:name',
    {
      config: {
        permission: 'groups:write',
        heavy: 'dryRun',
        errors: [GroupNotFound, ...settingsErrors],
      },
      schema: {
        ...change,
        operationId: 'updateGroup',
        summary: 'Change some of a group’s settings; with dryRun=1 say what that would do',
        description:
          'As application/json, `mergePatch` is replaced as a whole; as application/merge-patch+json (RFC 7396) it is merged into what is there, and null removes a member.',
        body: PatchGroupSchema,
        response: { 200: GroupOrImpactSchema },
      },
      preValidation: mergeObjects(async ({ name }) => {
        const row = (await allGroups(db)).find((one) => one.name === name)
        if (!row) return null
        return { etag: etagOf(row.revision), objects: { mergePatch: JSON.parse(row.merge_patch) } }
      }),
    },
    async (request, reply) => {
      const { name } = request.params
      const how: Change = (rows) => withChange(rows, name, request.body, now())
      const config = request.body.config ?? null
      return await changeGroup(reply, how, { ...about(request), name, config })
    },
  )

  app.delete(
    '/groups/:name',
    {
      config: {
        permission: 'groups:write',
        heavy: 'dryRun',
        errors: [GroupNotFound, DefaultGroupFixed],
      },
      schema: {
        ...change,
        operationId: 'deleteGroup',
        summary: 'Remove a group; its nodes go to the next that matches',
        response: { 200: ImpactSchema, 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const { ifMatch, dryRun, actor } = about(request)
      const check = (rows: Rows) => requireIfMatch(ifMatch, etagOf(groupNamed(rows, name).revision))
      const how: Change = (rows) => without(rows, name, now())
      if (dryRun) {
        check(await allGroups(db))
        return await preview(how)
      }
      await store(how, { actor, action: 'deleted', name }, check)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/group-order',
    {
      config: { permission: 'groups:read', errors: [] },
      schema: {
        operationId: 'getGroupOrder',
        tags,
        summary: 'The order in which groups are asked; its ETag is for changing it',
        response: { 200: GroupOrderSchema },
      },
    },
    async (_request, reply) => showOrder(reply, await allGroups(db)),
  )

  app.put(
    '/group-order',
    {
      config: { permission: 'groups:write', heavy: 'dryRun', errors: [OrderIncomplete] },
      schema: {
        operationId: 'putGroupOrder',
        tags,
        summary: 'Put the groups into another order; with dryRun=1 say what that would do',
        description: 'Name each group once. The default group is always the last and is not named.',
        headers: IfMatchSchema,
        querystring: DryRunQuerySchema,
        body: GroupOrderSchema,
        response: { 200: Type.Union([GroupOrderSchema, ImpactSchema]) },
      },
    },
    async (request, reply) => {
      const { ifMatch, dryRun, actor } = about(request)
      const check = (rows: Rows) => requireIfMatch(ifMatch, orderEtag(rows))
      const how: Change = (rows) => inOrder(rows, request.body.names, now())
      if (dryRun) {
        check(await allGroups(db))
        return await preview(how)
      }
      const rows = await write(async (unit) => {
        const before = await allGroups(unit.trx)
        check(before)
        const after = how(before)
        await storeDifference(unit, before, after)
        const data = { before: orderOf(before), after: orderOf(after) }
        await unit.emit({ kind: 'group', id: DEFAULT_GROUP, action: 'reordered', actor, data })
        return after
      })
      return showOrder(reply, rows)
    },
  )
}

type Changes = {
  headers: { 'if-match'?: string | undefined }
  query: { dryRun?: string | undefined }
  user: { username: string } | null
}

const about = ({ headers, query, user }: Changes) => ({
  ifMatch: headers['if-match'],
  dryRun: query.dryRun === '1',
  actor: user?.username ?? '',
})

async function storeDifference({ trx }: Unit, before: Rows, after: Rows): Promise<void> {
  const kept = new Set(after.map((row) => row.name))
  for (const row of before) if (!kept.has(row.name)) await deleteGroup(trx, row.name)
  for (const row of after) {
    const old = before.find((one) => one.name === row.name)
    if (!old) await insertGroup(trx, row)
    else if (old !== row) await saveGroup(trx, row)
  }
}

const settingsOf = (row: GroupRow) => ({
  description: row.description,
  selector: row.selector,
  config: row.config,
  mergePatch: JSON.parse(row.merge_patch),
  forgetAfterHours: row.forget_after_hours,
  position: row.position,
})

const viewGroup = (row: GroupRow, position: number, nodes: number): Group => ({
  ...settingsOf(row),
  name: row.name,
  position,
  nodes,
  isDefault: row.name === DEFAULT_GROUP,
  updatedAt: new Date(row.updated_at_ms).toISOString(),
})

const orderOf = (rows: Rows) => rows.slice(0, -1).map((row) => row.name)
const orderEtag = (rows: Rows) => `"${sha256(orderOf(rows).join()).slice(0, 16)}"`

function showOrder(reply: FastifyReply, rows: Rows) {
  reply.header('etag', orderEtag(rows))
  return { names: orderOf(rows) }
}
