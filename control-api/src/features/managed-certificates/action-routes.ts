// SPDX-License-Identifier: MIT
// What people ask of a managed certificate now: an order, none for a while, to give one up.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  askForOrder,
  cancelOrder,
  findManaged,
  lookSoon,
  type ManagedRow,
  updateManaged,
} from '../../acme/managed-store.ts'
import { NameSchema } from '../../api-shapes/common.ts'
import type { Refusal } from '../../api-shapes/errors.ts'
import type { Unit } from '../../audit/write.ts'
import type { App } from '../../http/app-types.ts'
import type { ManagedDeps } from './deps.ts'
import { ManagedNotFound, ManagementPaused, NoOrderOpen, OrderOpen } from './errors.ts'
import { type ManagedCertificate, ManagedCertificateSchema } from './schema.ts'

type Deps = ManagedDeps & {
  show(request: FastifyRequest, reply: FastifyReply, name: string): Promise<ManagedCertificate>
}
type Action = {
  path: string
  operationId: string
  summary: string
  description?: string
  errors: readonly Refusal[]
  /** Of the event; null: nothing changed. */
  act(unit: Unit, row: ManagedRow, by: { actor: string; nowMs: number }): Promise<string | null>
}

const ACTIONS: readonly Action[] = [
  {
    path: 'order-now',
    operationId: 'orderCertificateNow',
    summary: 'Order it now, whatever its time; it does not wait for the answer',
    description:
      'What held it after failures is forgotten. How long a CA itself wants to be left alone stays: `next` says until when.',
    errors: [OrderOpen, ManagementPaused],
    async act(unit, row, by) {
      if (row.paused === 1) throw new ManagementPaused(row.name)
      if (!(await askForOrder(unit, row, by))) throw new OrderOpen(row.name)
      return 'order-asked'
    },
  },
  {
    path: 'pause',
    operationId: 'pauseManagedCertificate',
    summary: 'Begin no order until it is resumed; one that is open goes on',
    errors: [],
    act: (unit, row, { nowMs }) => setPaused(unit, row, 1, nowMs),
  },
  {
    path: 'resume',
    operationId: 'resumeManagedCertificate',
    summary: 'Go on with renewals',
    errors: [],
    act: (unit, row, { nowMs }) => setPaused(unit, row, 0, nowMs),
  },
  {
    path: 'cancel',
    operationId: 'cancelCertificateOrder',
    summary: 'Give up the order that is open; what it published is taken away',
    description: 'If it is due, the next order begins in a day, or when somebody asks for it.',
    errors: [NoOrderOpen],
    async act(unit, row, { nowMs }) {
      if (!(await cancelOrder(unit, row.name, nowMs))) throw new NoOrderOpen(row.name)
      return 'order-cancelled'
    },
  },
]

/** What is so already is no change. */
async function setPaused(unit: Unit, row: ManagedRow, paused: 0 | 1, nowMs: number) {
  if (row.paused === paused) return null
  await updateManaged(unit, row.name, { paused, revision: row.revision + 1 })
  await lookSoon(unit, row.name, nowMs)
  return paused === 1 ? 'management-paused' : 'management-resumed'
}

export const managedActionRoutes = (deps: Deps) => async (app: App) => {
  const { write, now, acme, show } = deps
  for (const { path, act, errors, ...described } of ACTIONS) {
    app.post(
      `/managed-certificates/:name/actions/${path}`,
      {
        config: { permission: 'certificates:write', errors: [ManagedNotFound, ...errors] },
        schema: {
          ...described,
          tags: ['managed certificates'],
          params: Type.Object({ name: NameSchema }),
          response: { 200: ManagedCertificateSchema },
        },
      },
      async (request, reply) => {
        const { name } = request.params
        const actor = request.user?.username ?? ''
        await write(async (unit) => {
          const row = await findManaged(unit.trx, name)
          if (!row) throw new ManagedNotFound(name)
          const action = await act(unit, row, { actor, nowMs: now() })
          if (action !== null) await unit.emit({ kind: 'certificate', id: name, action, actor })
          unit.afterCommit(() => acme.wake())
        })
        return await show(request, reply, name)
      },
    )
  }
}
