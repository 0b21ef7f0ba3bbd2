// SPDX-License-Identifier: MIT
// What holds for every rollout of the farm: who must agree, when changes may begin, how many nodes at once.
import type { FastifyReply } from 'fastify'
import { IfMatchSchema } from '../../api-shapes/common.ts'
import type { Write } from '../../audit/write.ts'
import type { Reader } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import { TimeZoneUnknown } from './errors.ts'
import { RolloutRulesSchema } from './schema.ts'
import { changeFarmRules, readFarmRules } from './store.ts'

type Deps = { db: Reader; write: Write }

const tags = ['rollouts']

export const farmRulesRoutes =
  ({ db, write }: Deps) =>
  async (app: App) => {
    const show = async (reply: FastifyReply) => {
      const { rules, etag } = await readFarmRules(db)
      reply.header('etag', etag)
      return rules
    }

    app.get(
      '/rollout-rules',
      {
        config: { permission: 'rollouts:read', scope: 'none', errors: [] },
        schema: {
          operationId: 'getRolloutRules',
          tags,
          summary: 'What holds for every rollout; its ETag is for changing it',
          response: { 200: RolloutRulesSchema },
        },
      },
      async (_request, reply) => show(reply),
    )

    app.put(
      '/rollout-rules',
      {
        config: { permission: 'rollouts:rules', errors: [TimeZoneUnknown] },
        schema: {
          operationId: 'putRolloutRules',
          tags,
          summary: 'Change what holds for every rollout',
          description:
            'Windows count at once, for rollouts under way too. Approvals are asked of orders from now on; those there are keep what was asked of them.',
          headers: IfMatchSchema,
          body: RolloutRulesSchema,
          response: { 200: RolloutRulesSchema },
        },
      },
      async ({ body: rules, headers, user }, reply) => {
        const actor = user?.username ?? ''
        await write((unit) => changeFarmRules(unit, { rules, ifMatch: headers['if-match'], actor }))
        return show(reply)
      },
    )
  }
