// SPDX-License-Identifier: MIT
// The identity at the provider that belongs to one's own account.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { NotSignedIn } from '../../api-shapes/errors.ts'
import type { App, SignedInUser } from '../../http/app-types.ts'
import { NO_PASSWORD } from '../../people/passwords.ts'
import { PROOF_REFUSALS, proofMembers } from '../../people/proof.ts'
import { createUserStore } from '../../people/user-store.ts'
import type { OidcDeps } from './deps.ts'
import { NoOtherWayIn, NotLinked, OidcNotConfigured, ProviderAway, SignInFailed } from './errors.ts'
import type { Flow } from './flow.ts'
import { LinkSchema, type OidcIdentity, OidcIdentitySchema } from './schema.ts'
import { deleteIdentity, type IdentityRow, identityOfUser } from './store.ts'

type Deps = OidcDeps & {
  /** Sets the flow's cookie and says where to send the browser. */
  begin: (reply: FastifyReply, linkTo: NonNullable<Flow['linkTo']>) => Promise<string>
}

const tags = ['session']
const PATH = '/session/oidc/identity'

export const identityRoutes =
  ({ config, db, write, prove, begin }: Deps) =>
  async (app: App) => {
    const mine = (userId: string) => {
      if (!config) throw new OidcNotConfigured()
      return { user_id: userId, issuer: config.issuer }
    }
    const hasPassword = async (userId: string) =>
      (await createUserStore(db).byId(userId))?.passwordHash !== NO_PASSWORD

    app.get(
      PATH,
      {
        config: { permission: 'session:own', errors: [OidcNotConfigured] },
        schema: {
          operationId: 'getOidcIdentity',
          tags,
          summary: 'Which identity at the provider is yours',
          response: { 200: OidcIdentitySchema },
        },
      },
      async (request) => {
        const { id } = callerOf(request)
        const row = await identityOfUser(db, mine(id))
        return view(row, await hasPassword(id))
      },
    )

    app.post(
      PATH,
      {
        config: {
          permission: 'session:own',
          errors: [OidcNotConfigured, ProviderAway, ...PROOF_REFUSALS],
        },
        schema: {
          operationId: 'linkOidcIdentity',
          tags,
          summary: 'Begin to link your identity at the provider to your account',
          description:
            'It is another way in, so it takes your password, and a code if you have those.',
          body: Type.Object(proofMembers, { additionalProperties: false }),
          response: { 201: LinkSchema },
        },
      },
      async (request, reply) => {
        const { id } = callerOf(request)
        if (!config) throw new OidcNotConfigured()
        await prove(request, request.body)
        const { sessionId } = request.session
        try {
          const url = await begin(reply, { userId: id, sessionId })
          reply.code(201)
          return { url }
        } catch (error) {
          if (error instanceof SignInFailed) throw new ProviderAway()
          throw error
        }
      },
    )

    app.delete(
      PATH,
      {
        config: {
          permission: 'session:own',
          errors: [OidcNotConfigured, NotLinked, NoOtherWayIn],
        },
        schema: {
          operationId: 'unlinkOidcIdentity',
          tags,
          summary: 'Sign in with your password only',
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { id, username } = callerOf(request)
        if (!(await hasPassword(id))) throw new NoOtherWayIn()
        await write(async (unit) => {
          const row = await identityOfUser(unit.trx, mine(id))
          if (!row) throw new NotLinked()
          await deleteIdentity(unit, row)
          const { issuer, subject } = row
          await unit.emit({
            ...{ kind: 'user', id, action: 'identity-unlinked', actor: username },
            data: { issuer, subject },
          })
        })
        return reply.code(204).send(null)
      },
    )
  }

function callerOf({ user }: FastifyRequest): SignedInUser {
  if (!user) throw new NotSignedIn()
  return user
}

function view(row: IdentityRow | undefined, hasPassword: boolean): OidcIdentity {
  if (!row) return { identity: null, canUnlink: false }
  const time = (ms: number) => new Date(ms).toISOString()
  return {
    identity: {
      issuer: row.issuer,
      subject: row.subject,
      createdAt: time(row.created_at_ms),
      lastSignInAt: row.last_sign_in_at_ms === null ? null : time(row.last_sign_in_at_ms),
    },
    canUnlink: hasPassword,
  }
}
