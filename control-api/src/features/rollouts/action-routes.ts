// SPDX-License-Identifier: MIT
// What can be done to a rollout, by people who have seen the state it is in.
import { Type } from 'typebox'
import { OutsideScope, type Scope, scopeOf } from '../../access/scope.ts'
import { ProblemSchema, RolloutIdSchema } from '../../api-shapes/common.ts'
import { RolloutStateSchema } from '../../api-shapes/states.ts'
import type { Reader } from '../../db/database.ts'
import type { App, SignedInUser } from '../../http/app-types.ts'
import type { Engine } from './engine/engine.ts'
import type { Command } from './reducer/model.ts'
import {
  AlreadyApproved,
  ApprovalVoid,
  NotNow,
  OwnRollout,
  RolloutEnded,
  RolloutNotFound,
  StaleState,
} from './shapes/errors.ts'
import {
  ApproveSchema,
  ExplainedActionSchema,
  ReasonedActionSchema,
  RolloutActionSchema,
} from './shapes/order-schema.ts'
import { RolloutSchema } from './shapes/schema.ts'
import { seeRollout, showRollout } from './view.ts'

type Deps = { db: Reader; now: () => number; engine: Pick<Engine, 'obey' | 'approve'> }

const tags = ['rollouts']
const params = Type.Object({ id: RolloutIdSchema })
const MovedOnSchema = Type.Intersect([
  ProblemSchema,
  Type.Object({
    state: Type.Optional(RolloutStateSchema),
    stateVersion: Type.Optional(
      Type.Integer({ description: 'With `stale_state`: what it is now' }),
    ),
  }),
])
const response = { 200: RolloutSchema, 409: MovedOnSchema }

const acting = {
  permission: 'rollouts:run' as const,
  scope: 'nodes' as const,
  errors: [RolloutNotFound, OutsideScope, StaleState, RolloutEnded, NotNow],
}
const approving = {
  ...acting,
  permission: 'rollouts:approve' as const,
  errors: [...acting.errors, OwnRollout, ApprovalVoid, AlreadyApproved],
}
export const nameOf = (user: SignedInUser | null) => user?.username ?? ''

export const rolloutActionRoutes =
  ({ db, now, engine }: Deps) =>
  async (app: App) => {
    /** What is done to a rollout is done to all its nodes. Throws RolloutNotFound or OutsideScope. */
    const requireAllWithin = async (id: string, scope: Scope): Promise<void> => {
      if (scope === null) return
      const { audience } = await seeRollout(db, id, scope)
      if (!audience.isWhole) throw new OutsideScope('it has other nodes as well', scope)
    }

    type By = { stateVersion: number; user: SignedInUser | null }
    const act = async (id: string, command: Command, { stateVersion, user }: By) => {
      const scope = scopeOf(user)
      await requireAllWithin(id, scope)
      await engine.obey(id, command, stateVersion)
      return showRollout({ db, now }, id, scope)
    }

    app.post(
      '/rollouts/:id/actions/freeze',
      {
        config: acting,
        schema: {
          operationId: 'freezeRollout',
          tags,
          summary: 'End a rollout as it is: nodes keep what they have now',
          params,
          body: RolloutActionSchema,
          response,
        },
      },
      async ({ params: { id }, body: { stateVersion }, user }) =>
        act(id, { kind: 'freeze', actor: nameOf(user) }, { stateVersion, user }),
    )

    app.post(
      '/rollouts/:id/actions/pause',
      {
        config: acting,
        schema: {
          operationId: 'pauseRollout',
          tags,
          summary: 'Offer it to no further node until it is resumed; nodes under way go on',
          params,
          body: ExplainedActionSchema,
          response,
        },
      },
      async ({ params: { id }, body: { stateVersion, reason: why = '' }, user }) =>
        act(id, { kind: 'pause', actor: nameOf(user), why }, { stateVersion, user }),
    )

    app.post(
      '/rollouts/:id/actions/resume',
      {
        config: acting,
        schema: {
          operationId: 'resumeRollout',
          tags,
          summary: 'Go on; without the nodes that failed, when they are why it was paused',
          params,
          body: RolloutActionSchema,
          response,
        },
      },
      async ({ params: { id }, body: { stateVersion }, user }) =>
        act(id, { kind: 'resume', actor: nameOf(user) }, { stateVersion, user }),
    )

    app.post(
      '/rollouts/:id/actions/skip-gate',
      {
        config: acting,
        schema: {
          operationId: 'skipRolloutGate',
          tags,
          summary: 'Begin the next wave without waiting for time or evidence; the reason is kept',
          params,
          body: ReasonedActionSchema,
          response,
        },
      },
      async ({ params: { id }, body: { stateVersion, reason: why }, user }) =>
        act(id, { kind: 'skip-gate', actor: nameOf(user), why }, { stateVersion, user }),
    )

    app.post(
      '/rollouts/:id/actions/revert',
      {
        config: acting,
        schema: {
          operationId: 'revertRollout',
          tags,
          summary: 'Give back to every node that began to apply it what it had before',
          params,
          body: ExplainedActionSchema,
          response,
        },
      },
      async ({ params: { id }, body: { stateVersion, reason: why = '' }, user }) =>
        act(id, { kind: 'revert', actor: nameOf(user), why }, { stateVersion, user }),
    )

    app.post(
      '/rollouts/:id/actions/cancel',
      {
        config: acting,
        schema: {
          operationId: 'cancelRollout',
          tags,
          summary: 'End a rollout that has not begun',
          params,
          body: RolloutActionSchema,
          response,
        },
      },
      async ({ params: { id }, body: { stateVersion }, user }) =>
        act(id, { kind: 'cancel', actor: nameOf(user) }, { stateVersion, user }),
    )

    app.post(
      '/rollouts/:id/actions/reject',
      {
        config: { ...acting, permission: 'rollouts:approve' },
        schema: {
          operationId: 'rejectRollout',
          tags,
          summary: 'Say no to a rollout that awaits approval, which ends it; the reason is kept',
          params,
          body: ReasonedActionSchema,
          response,
        },
      },
      async ({ params: { id }, body: { stateVersion, reason: why }, user }) =>
        act(id, { kind: 'reject', actor: nameOf(user), why }, { stateVersion, user }),
    )

    app.post(
      '/rollouts/:id/actions/approve',
      {
        config: approving,
        schema: {
          operationId: 'approveRollout',
          tags,
          summary: 'Agree to the plan of a rollout that somebody else ordered',
          params,
          body: ApproveSchema,
          response,
        },
      },
      async ({ params: { id }, body: { stateVersion, planDigest }, user }) => {
        const scope = scopeOf(user)
        await requireAllWithin(id, scope)
        const approval = { userId: user?.id ?? '', username: nameOf(user), planDigest }
        await engine.approve(id, approval, stateVersion)
        return showRollout({ db, now }, id, scope)
      },
    )
  }
