// SPDX-License-Identifier: MIT
// Alerts: what rules found, who has taken it on, and what is not told meanwhile.
import { Type } from 'typebox'
import { scopeOf } from '../../access/scope.ts'
import { NodeIdSchema, PageQuerySchema, pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { SelectorInvalid } from '../../api-shapes/errors.ts'
import { readSelector } from '../../api-shapes/selector.ts'
import { newId } from '../../base/ids.ts'
import { actorOf } from '../../http/actor.ts'
import type { App } from '../../http/app-types.ts'
import type { AlertDeps } from './deps.ts'
import {
  AlertIsOver,
  AlertNotFound,
  AlertRuleNotFound,
  SilenceNotFound,
  SilenceRefused,
  TooManySilences,
} from './errors.ts'
import { alertRuleRoutes } from './rule-routes.ts'
import {
  AcknowledgeSchema,
  AlertIdSchema,
  AlertSchema,
  AlertStateSchema,
  NewSilenceSchema,
  SilenceIdSchema,
  SilenceSchema,
} from './schema.ts'
import {
  countSilences,
  deleteSilence,
  findAlert,
  findSilence,
  insertSilence,
  listAlerts,
  listSilences,
  requireAlertRule,
  type SilenceRow,
  updateAlert,
} from './store.ts'
import { silencing, subjectOf, viewAlert, viewSilence } from './view.ts'
import { SILENCES_MAX } from './watch.ts'

const tags = ['alerts']
const cursors = defineCursor('alerts', 'text')
const silenceCursors = defineCursor('alert-silences', 'text')
const params = Type.Object({ id: AlertIdSchema })
const silenceParams = Type.Object({ id: SilenceIdSchema })

export const alertRoutes = (deps: AlertDeps) => async (app: App) => {
  const { db, write, now } = deps
  await alertRuleRoutes(deps)(app)

  const silencedNow = async () => {
    const silences = await listSilences(db, { before: undefined, limit: SILENCES_MAX })
    const labelsOf = silences.some(({ selector }) => selector !== null)
      ? await deps.labels()
      : () => null
    return silencing(silences, labelsOf, now())
  }

  app.get(
    '/alerts',
    {
      config: { permission: 'alerts:read', scope: 'nodes' },
      schema: {
        operationId: 'listAlerts',
        tags,
        summary: 'Alerts, newest first; the last 10,000 that are resolved are kept',
        description:
          'Whose roles count for some nodes sees alerts of these only, and none of rollouts, certificates or sets.',
        querystring: Type.Object({
          ...PageQuerySchema.properties,
          state: Type.Optional(AlertStateSchema),
          node: Type.Optional(NodeIdSchema),
        }),
        response: { 200: pageOf(AlertSchema) },
      },
    },
    async ({ query: { cursor, limit = 100, state, node }, user }) => {
      const [before] = cursors.read(cursor) ?? []
      const scope = scopeOf(user)
      const found = await listAlerts(db, { before, limit: limit + 1, scope, state, node })
      const { rows, nextCursor } = cursors.page(found, limit, ({ id }) => [id])
      const silencedUntil = await silencedNow()
      return { items: rows.map((row) => viewAlert(row, silencedUntil)), nextCursor }
    },
  )

  app.get(
    '/alerts/:id',
    {
      config: { permission: 'alerts:read', scope: 'nodes', errors: [AlertNotFound] },
      schema: {
        operationId: 'getAlert',
        tags,
        summary: 'One alert',
        params,
        response: { 200: AlertSchema },
      },
    },
    async ({ params: { id }, user }) => {
      const row = await findAlert(db, id, scopeOf(user))
      if (!row) throw new AlertNotFound(id)
      return viewAlert(row, await silencedNow())
    },
  )

  app.post(
    '/alerts/:id/actions/acknowledge',
    {
      config: { permission: 'alerts:handle', scope: 'nodes', errors: [AlertNotFound, AlertIsOver] },
      schema: {
        operationId: 'acknowledgeAlert',
        tags,
        summary: 'Say that you have taken it on, with a word if you like',
        params,
        body: AcknowledgeSchema,
        response: { 200: AlertSchema },
      },
    },
    async (request) => {
      const { id } = request.params
      const { comment = '' } = request.body
      const scope = scopeOf(request.user)
      const actor = actorOf(request)
      await write(async (unit) => {
        const row = await findAlert(unit.trx, id, scope)
        if (!row) throw new AlertNotFound(id)
        if (row.state === 'resolved') throw new AlertIsOver(id)
        const data = {
          rule: { id: row.rule_id, name: row.rule_name },
          subject: subjectOf(row),
          comment,
        }
        await unit.emit({ kind: 'alert', id, action: 'acknowledged', actor, data })
        await updateAlert(unit.trx, id, {
          ...{ acknowledged_at_ms: now(), acknowledged_by: actor, comment },
        })
      })
      const row = await findAlert(db, id, scope)
      if (!row) throw new AlertNotFound(id)
      return viewAlert(row, await silencedNow())
    },
  )

  app.get(
    '/alert-silences',
    {
      config: { permission: 'alerts:read', scope: 'none' },
      schema: {
        operationId: 'listAlertSilences',
        tags,
        summary: 'What nobody is told of for a while, newest first',
        querystring: PageQuerySchema,
        response: { 200: pageOf(SilenceSchema) },
      },
    },
    async ({ query: { cursor, limit = 100 } }) => {
      const [before] = silenceCursors.read(cursor) ?? []
      const found = await listSilences(db, { before, limit: limit + 1 })
      const { rows, nextCursor } = silenceCursors.page(found, limit, ({ id }) => [id])
      return { items: rows.map(viewSilence), nextCursor }
    },
  )

  app.post(
    '/alert-silences',
    {
      config: {
        permission: 'alerts:handle',
        errors: [AlertRuleNotFound, SelectorInvalid, SilenceRefused, TooManySilences],
      },
      schema: {
        operationId: 'createAlertSilence',
        tags,
        summary: 'Have nobody told of alerts of a rule, of some nodes or of both, until a time',
        description:
          'They are found and shown as always. One that still fires when the silence ends is told then; one that is over by then never is.',
        body: NewSilenceSchema,
        response: { 201: SilenceSchema },
      },
    },
    async (request, reply) => {
      const { ruleId = null, selector = null, reason, until } = request.body
      const untilMs = Date.parse(until)
      const nowMs = now()
      if (ruleId === null && selector === null) {
        throw new SilenceRefused('Name a rule or a selector: nothing is silenced as a whole.')
      }
      if (untilMs <= nowMs) throw new SilenceRefused(`"until" is over: ${until}.`)
      if (selector !== null) readSelector(selector)
      const actor = actorOf(request)
      const row = await write(async (unit) => {
        if ((await countSilences(unit.trx)) >= SILENCES_MAX) {
          throw new TooManySilences(SILENCES_MAX)
        }
        if (ruleId !== null) await requireAlertRule(unit, ruleId)
        const made: SilenceRow = {
          ...{ id: newId('silence'), rule_id: ruleId, selector, reason, until_ms: untilMs },
          ...{ created_at_ms: nowMs, created_by: actor },
        }
        await insertSilence(unit, made)
        const data = { after: viewSilence(made) }
        await unit.emit({ kind: 'alert-silence', id: made.id, action: 'created', actor, data })
        return made
      })
      return reply.code(201).send(viewSilence(row))
    },
  )

  app.delete(
    '/alert-silences/:id',
    {
      config: { permission: 'alerts:handle', errors: [SilenceNotFound] },
      schema: {
        operationId: 'endAlertSilence',
        tags,
        summary: 'End a silence now',
        params: silenceParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const actor = actorOf(request)
      await write(async (unit) => {
        const row = await findSilence(unit.trx, id)
        if (!row) throw new SilenceNotFound(id)
        await deleteSilence(unit, id)
        const data = { before: viewSilence(row) }
        await unit.emit({ kind: 'alert-silence', id, action: 'ended', actor, data })
      })
      return reply.code(204).send(null)
    },
  )
}
