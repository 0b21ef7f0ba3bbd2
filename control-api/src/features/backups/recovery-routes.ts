// SPDX-License-Identifier: MIT
// After a restore: what the nodes have said, and the operator's word that this control plane is to go on.
import type { Kysely } from 'kysely'
import { type Scope, scopeOf } from '../../access/scope.ts'
import type { Write } from '../../audit/write.ts'
import type { Identity } from '../../control-plane/identity.ts'
import {
  confirmRecovery,
  NodesUnheard,
  NotInRecovery,
  survey,
} from '../../control-plane/recovery.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import { RecoveryConfirmationSchema, RecoveryStateSchema } from './schema.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  identity: Identity
  /** Nodes that wait may have something to get now. */
  onConfirmed: () => Promise<void>
}

const tags = ['backups']

export const recoveryRoutes =
  ({ db, write, identity, onConfirmed }: Deps) =>
  async (app: App) => {
    const show = async (scope: Scope) => {
      const { recovery, epoch } = identity
      if (!recovery) return { recovery: null }
      const restoredAt = new Date(recovery.restoredAtMs).toISOString()
      const backupCreatedAt = new Date(recovery.backupCreatedAtMs).toISOString()
      return { recovery: { restoredAt, backupCreatedAt, epoch, ...(await survey(db, scope)) } }
    }

    app.get(
      '/recovery',
      {
        config: { permission: 'system:read', scope: 'nodes', errors: [] },
        schema: {
          operationId: 'getRecovery',
          tags,
          summary: 'Was this control plane restored, and does it wait for a confirmation?',
          response: { 200: RecoveryStateSchema },
        },
      },
      async ({ user }) => show(scopeOf(user)),
    )

    app.post(
      '/recovery/confirm',
      {
        config: { permission: 'backups:write', errors: [NotInRecovery, NodesUnheard] },
        schema: {
          operationId: 'confirmRecovery',
          tags,
          summary: 'After a restore: let this control plane drive the farm again',
          description:
            'Takes an epoch above every one that a node has obeyed. Only when no other control plane of these nodes is running.',
          body: RecoveryConfirmationSchema,
          response: { 200: RecoveryStateSchema },
        },
      },
      async ({ body, user }) => {
        await confirmRecovery({ db, write }, identity, {
          actor: user?.username ?? '',
          withoutUnheard: body.withoutUnheard ?? false,
        })
        await onConfirmed()
        return await show(scopeOf(user))
      },
    )
  }
