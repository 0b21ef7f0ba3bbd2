// SPDX-License-Identifier: MIT
// Rules: of what somebody is told.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { IfMatchSchema, PageQuerySchema, pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { AppError } from '../../api-shapes/errors.ts'
import { newId } from '../../base/ids.ts'
import { actorOf } from '../../http/actor.ts'
import type { App } from '../../http/app-types.ts'
import { hangUpOf } from '../../http/hang-up.ts'
import { etagOf, requireIfMatch } from '../../http/preconditions.ts'
import { limits } from '../../plugins/limits.ts'
import type { AlertDeps } from './deps.ts'
import {
  AlertRuleExists,
  AlertRuleNotFound,
  AlertRuleRefused,
  TooManyAlertRules,
} from './errors.ts'
import { previewOf } from './preview.ts'
import {
  AlertPreviewSchema,
  AlertRuleIdSchema,
  type AlertRulePatch,
  AlertRulePatchSchema,
  AlertRuleSchema,
  AlertTestSchema,
  type Condition,
  NewAlertRuleSchema,
  PreviewRequestSchema,
} from './schema.ts'
import {
  type AlertRuleRow,
  countAlertRules,
  deleteAlertRule,
  endAlertsOf,
  findAlertRule,
  insertAlertRule,
  isNameTaken,
  listAlertRules,
  renameOpenAlerts,
  requireAlertRule,
  takeSilencesOf,
  updateAlertRule,
} from './store.ts'
import { settingsOf, viewRule, viewSilence } from './view.ts'
import { RULES_MAX } from './watch.ts'

const tags = ['alerts']
const params = Type.Object({ id: AlertRuleIdSchema })
const cursors = defineCursor('alert-rules', 'text')
const DEFAULT_FOR_SECONDS = 300
const MAX_NODE_WINDOW_SECONDS = 3600

export const alertRuleRoutes = (deps: AlertDeps) => async (app: App) => {
  const { db, write, now } = deps
  const changeErrors = [AlertRuleExists, AlertRuleRefused]

  const show = (reply: FastifyReply, row: AlertRuleRow) => {
    reply.header('etag', etagOf(row.revision))
    return viewRule(row)
  }
  const requireSense = async (appliesTo: string, condition: Condition): Promise<void> => {
    const why = trouble(appliesTo, condition)
    if (why !== null) throw new AlertRuleRefused(why)
    try {
      await deps.requireKnown(appliesTo)
      if (condition.kind === 'measurement') deps.measured.readMeasure(condition.by)
    } catch (error) {
      // What a query of measurements would answer is about a query.
      throw error instanceof AppError ? new AlertRuleRefused(error.message) : error
    }
  }

  app.get(
    '/alert-rules',
    {
      config: { permission: 'alerts:read', scope: 'none' },
      schema: {
        operationId: 'listAlertRules',
        tags,
        summary: 'Rules, by name',
        querystring: PageQuerySchema,
        response: { 200: pageOf(AlertRuleSchema) },
      },
    },
    async ({ query: { cursor, limit = 100 } }) => {
      const [before] = cursors.read(cursor) ?? []
      const found = await listAlertRules(db, { before, limit: limit + 1 })
      const { rows, nextCursor } = cursors.page(found, limit, ({ name }) => [name])
      return { items: rows.map(viewRule), nextCursor }
    },
  )

  app.post(
    '/alert-rules',
    {
      config: { permission: 'alerts:write', errors: [TooManyAlertRules, ...changeErrors] },
      schema: {
        operationId: 'createAlertRule',
        tags,
        summary: 'Make a rule: it is looked at from now on',
        body: NewAlertRuleSchema,
        response: { 201: AlertRuleSchema },
      },
    },
    async (request, reply) => {
      const { name, condition, description = '', enabled = true, ...others } = request.body
      const { severity = 'warning', appliesTo = 'farm' } = others
      const { forSeconds = DEFAULT_FOR_SECONDS, keepFiringSeconds = 0 } = others
      await requireSense(appliesTo, condition)
      const actor = actorOf(request)
      const row = await write(async (unit) => {
        if ((await countAlertRules(unit.trx)) >= RULES_MAX) {
          throw new TooManyAlertRules(RULES_MAX)
        }
        if (await isNameTaken(unit, name, '')) throw new AlertRuleExists(name)
        const made: AlertRuleRow = {
          id: newId('rule'),
          ...{ name, description, enabled: enabled ? 1 : 0, severity, applies_to: appliesTo },
          condition: JSON.stringify(condition),
          ...{ for_seconds: forSeconds, keep_firing_seconds: keepFiringSeconds },
          ...{ revision: 1, created_at_ms: now(), created_by: actor, failing: null },
        }
        await insertAlertRule(unit, made)
        const data = { after: settingsOf(made) }
        await unit.emit({ kind: 'alert-rule', id: made.id, action: 'created', actor, data })
        return made
      })
      reply.code(201).header('location', `/api/v1/alert-rules/${row.id}`)
      return show(reply, row)
    },
  )

  app.post(
    '/alert-rules/preview',
    {
      config: {
        permission: 'alerts:write',
        heavy: true,
        rateLimit: limits.expensive,
        errors: [AlertRuleRefused],
      },
      schema: {
        operationId: 'previewAlertRule',
        tags,
        summary: 'What a rule would have said of the last days; nothing is made',
        description:
          'Of rules over measurements: of states, rollouts and certificates the past is not kept. What is read is bounded: of very many nodes some are looked at, and of a set of many nodes a shorter time.',
        body: PreviewRequestSchema,
        response: { 200: AlertPreviewSchema },
      },
    },
    async ({ body }, reply) => {
      const { condition, appliesTo = 'farm', days = 7 } = body
      const { forSeconds = DEFAULT_FOR_SECONDS, keepFiringSeconds = 0 } = body
      await requireSense(appliesTo, condition)
      const draft = { condition, appliesTo, forSeconds, keepFiringSeconds }
      const gone = hangUpOf(reply)
      return await previewOf(deps.measured, { draft, farm: await deps.farm(now()), days, gone })
    },
  )

  app.get(
    '/alert-rules/:id',
    {
      config: { permission: 'alerts:read', scope: 'none', errors: [AlertRuleNotFound] },
      schema: {
        operationId: 'getAlertRule',
        tags,
        summary: 'One rule; its ETag is for changing it',
        params,
        response: { 200: AlertRuleSchema },
      },
    },
    async ({ params: { id } }, reply) => {
      const row = await findAlertRule(db, id)
      if (!row) throw new AlertRuleNotFound(id)
      return show(reply, row)
    },
  )

  app.patch(
    '/alert-rules/:id',
    {
      config: { permission: 'alerts:write', errors: [AlertRuleNotFound, ...changeErrors] },
      schema: {
        operationId: 'updateAlertRule',
        tags,
        summary: 'Change a rule, or disable or enable it',
        description:
          'When it is disabled, or about something else than before, its open alerts are resolved.',
        params,
        headers: IfMatchSchema,
        body: AlertRulePatchSchema,
        response: { 200: AlertRuleSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const patch = request.body
      const actor = actorOf(request)
      const known = await findAlertRule(db, id)
      if (!known) throw new AlertRuleNotFound(id)
      const wished = { ...settingsOf(known), ...patch }
      await requireSense(wished.appliesTo, wished.condition)
      const changed = await write(async (unit) => {
        const before = await requireAlertRule(unit, id)
        requireIfMatch(request.headers['if-match'], etagOf(before.revision))
        if (patch.name !== undefined && (await isNameTaken(unit, patch.name, id))) {
          throw new AlertRuleExists(patch.name)
        }
        const columns = columnsOf(patch)
        const because = endsBecause(before, { ...before, ...columns })
        if (because !== null) await endAlertsOf(unit, id, { nowMs: now(), because })
        const settings = settingsOf(before)
        const data = { before: settings, after: { ...settings, ...patch } }
        await unit.emit({ kind: 'alert-rule', id, action: 'changed', actor, data })
        const after = await updateAlertRule(unit, id, {
          ...columns,
          ...{ failing: null, revision: before.revision + 1 },
        })
        await renameOpenAlerts(unit, id, after)
        return after
      })
      return show(reply, changed)
    },
  )

  app.delete(
    '/alert-rules/:id',
    {
      config: { permission: 'alerts:write', errors: [AlertRuleNotFound] },
      schema: {
        operationId: 'deleteAlertRule',
        tags,
        summary:
          'Delete a rule: its open alerts are resolved, and stay in the history; its silences end',
        params,
        headers: IfMatchSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      await write(async (unit) => {
        const row = await requireAlertRule(unit, id)
        requireIfMatch(request.headers['if-match'], etagOf(row.revision))
        await endAlertsOf(unit, id, { nowMs: now(), because: 'Its rule was deleted.' })
        await deleteAlertRule(unit, id)
        const actor = actorOf(request)
        for (const silence of await takeSilencesOf(unit, id)) {
          const data = { before: viewSilence(silence) }
          await unit.emit({ kind: 'alert-silence', id: silence.id, action: 'ended', actor, data })
        }
        const data = { before: settingsOf(row) }
        await unit.emit({ kind: 'alert-rule', id, action: 'deleted', actor, data })
      })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/alert-rules/:id/actions/test',
    {
      config: { permission: 'alerts:write', errors: [AlertRuleNotFound] },
      schema: {
        operationId: 'testAlertRule',
        tags,
        summary: 'Tell a test of it the way an alert is told',
        description:
          'An event `alert.test`, which every webhook that is told of alerts gets. `GET /webhooks/{id}/deliveries` says how that went.',
        params,
        response: { 200: AlertTestSchema },
      },
    },
    async (request) => {
      const { id } = request.params
      const actor = actorOf(request)
      const eventId = await write(async (unit) => {
        const { name, severity } = await requireAlertRule(unit, id)
        const data = { rule: { id, name }, severity, message: 'This is a test.' }
        return await unit.emit({ kind: 'alert', id: '*', action: 'test', actor, data })
      })
      return { eventId }
    },
  )
}

const FARM_ONLY = new Set<Condition['kind']>(['rollout-waiting', 'certificate-ending'])

/** What no shape says; null: nothing. */
function trouble(appliesTo: string, condition: Condition): string | null {
  if (FARM_ONLY.has(condition.kind) && appliesTo !== 'farm') {
    return `"${condition.kind}" is no matter of single nodes: appliesTo must be "farm".`
  }
  if (condition.kind === 'burn-rate' && !/^(farm$|group:)/.test(appliesTo)) {
    return 'A burn rate looks back three days, for which sums are kept of the farm and of groups only: appliesTo must be "farm" or "group:NAME".'
  }
  if (condition.kind !== 'measurement') return null
  const { each, windowSeconds, comparison, threshold, clearThreshold = threshold } = condition
  if (each === 'node' && windowSeconds > MAX_NODE_WINDOW_SECONDS) {
    return `Of each node windowSeconds is at most ${MAX_NODE_WINDOW_SECONDS}: every node's rows are read each minute. With "each": "set" it may be a day.`
  }
  const isWrong = comparison === 'above' ? clearThreshold > threshold : clearThreshold < threshold
  return isWrong
    ? `It is bad when it is ${comparison} ${threshold}, so clearThreshold must be ${comparison === 'above' ? 'at most' : 'at least'} that, got ${clearThreshold}.`
    : null
}

const columnsOf = (patch: AlertRulePatch): Partial<AlertRuleRow> => ({
  ...(patch.name !== undefined && { name: patch.name }),
  ...(patch.description !== undefined && { description: patch.description }),
  ...(patch.enabled !== undefined && { enabled: patch.enabled ? 1 : 0 }),
  ...(patch.severity && { severity: patch.severity }),
  ...(patch.appliesTo !== undefined && { applies_to: patch.appliesTo }),
  ...(patch.condition && { condition: JSON.stringify(patch.condition) }),
  ...(patch.forSeconds !== undefined && { for_seconds: patch.forSeconds }),
  ...(patch.keepFiringSeconds !== undefined && { keep_firing_seconds: patch.keepFiringSeconds }),
})

/** Why what it found so far is over; null: it is not. */
function endsBecause(before: AlertRuleRow, after: AlertRuleRow): string | null {
  if (after.enabled === 0) return before.enabled === 1 ? 'Its rule was disabled.' : null
  const isOther = before.condition !== after.condition || before.applies_to !== after.applies_to
  return isOther ? 'Its rule was changed.' : null
}
