// SPDX-License-Identifier: MIT
// Signing in through the identity provider: out to it, and back.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Unit } from '../../audit/write.ts'
import type { OidcConfig } from '../../environment/oidc.ts'
import type { App } from '../../http/app-types.ts'
import { sessionIsAlive } from '../../people/session-store.ts'
import { createUserStore } from '../../people/user-store.ts'
import { admit, link } from './admit.ts'
import type { OidcDeps } from './deps.ts'
import { OidcNotConfigured, SignInFailed } from './errors.ts'
import { createFlows, type Flow } from './flow.ts'
import { identityRoutes } from './identity-routes.ts'
import { createProvider, type Identity } from './provider.ts'
import { localPath } from './rules.ts'
import { SignInMethodsSchema, StartQuerySchema } from './schema.ts'

const tags = ['session']
const OIDC = '/session/oidc'
const CALLBACK = `${OIDC}/callback`

export const oidcRoutes = (deps: OidcDeps) => async (app: App) => {
  const { config } = deps
  const service = config && createOidc({ ...deps, config })
  const configured = () => {
    if (!service) throw new OidcNotConfigured()
    return service
  }

  app.get(
    '/session/methods',
    {
      config: { permission: 'public', errors: [] },
      schema: {
        operationId: 'getSignInMethods',
        tags,
        summary: 'How one can sign in here',
        response: { 200: SignInMethodsSchema },
      },
    },
    async () => ({ password: true, oidc: config && { label: config.label } }),
  )

  app.get(
    OIDC,
    {
      exposeHeadRoute: false,
      config: { permission: 'public', errors: [OidcNotConfigured] },
      schema: {
        operationId: 'startOidcSignIn',
        tags,
        summary: 'Sends the browser to the identity provider',
        querystring: StartQuerySchema,
        response: { 302: Type.Null() },
      },
    },
    async (request, reply) => configured().start(request, reply, request.query.next),
  )

  app.get(
    CALLBACK,
    {
      exposeHeadRoute: false,
      config: { permission: 'public', errors: [OidcNotConfigured] },
      schema: {
        operationId: 'finishOidcSignIn',
        tags,
        summary: 'Where the identity provider sends the browser back to',
        // What providers add (RFC 9207 and their own) is theirs to say.
        querystring: Type.Object({}, { additionalProperties: true }),
        response: { 302: Type.Null() },
      },
    },
    async (request, reply) => configured().finish(request, reply),
  )

  await identityRoutes({
    ...deps,
    begin: (reply, linkTo) =>
      configured().begin(reply, { next: '/settings/single-sign-on', linkTo }),
  })(app)
}

type Oidc = OidcDeps & { config: OidcConfig }

function createOidc({ config, basePath, prefix, db, write, box, now, startSession }: Oidc) {
  const { rolesOfGroup } = config
  const publicUrl = config.publicUrl + basePath
  const callbackPath = prefix + CALLBACK
  const provider = createProvider({ config, redirectUri: publicUrl + callbackPath, now })
  const isSecure = publicUrl.startsWith('https:')
  const flows = createFlows({ box, path: prefix + OIDC, isSecure, now })

  /** The console explains it; the log has the cause. */
  const turnAway = (
    request: FastifyRequest,
    reply: FastifyReply,
    failed: SignInFailed,
    to: string,
  ) => {
    request.log.warn({ err: failed.cause, problem: failed.problem }, 'a sign-in failed')
    return reply.redirect(`${publicUrl}${to}?problem=${failed.problem}`)
  }

  const begin = async (reply: FastifyReply, what: Pick<Flow, 'next' | 'linkTo'>) =>
    (await provider.authorizationUrl(flows.begin(reply, what))).href

  const signIn = async (request: FastifyRequest, identity: Identity): Promise<void> => {
    const admitted = await write((unit) => admit(unit, { identity, rolesOfGroup, nowMs: now() }))
    if (!admitted.ok) throw new SignInFailed(admitted.problem)
    await startSession(request, admitted.userId, (unit) => tell(unit, admitted.userId, identity))
  }

  const linkTo = async ({ userId, sessionId }: NonNullable<Flow['linkTo']>, identity: Identity) => {
    if (!(await sessionIsAlive(db, sessionId, now()))) throw new SignInFailed('oidc_flow_lost')
    const linked = await write((unit) => link(unit, { userId, identity, nowMs: now() }))
    if (!linked.ok) throw new SignInFailed(linked.problem)
  }

  return {
    begin,

    async start(request: FastifyRequest, reply: FastifyReply, next: string | undefined) {
      try {
        const url = await begin(reply, { next: localPath(next, config.publicUrl), linkTo: null })
        return reply.redirect(url)
      } catch (error) {
        if (error instanceof SignInFailed) return turnAway(request, reply, error, '/sign-in')
        throw error
      }
    },

    async finish(request: FastifyRequest, reply: FastifyReply) {
      let page = '/sign-in'
      try {
        const flow = flows.end(request, reply, Object(request.query).state)
        if (flow.linkTo) page = flow.next
        const answer = request.url.slice(callbackPath.length)
        const identity = await provider.identify(answer, flow)
        await (flow.linkTo ? linkTo(flow.linkTo, identity) : signIn(request, identity))
        return reply.redirect(publicUrl + flow.next)
      } catch (error) {
        if (error instanceof SignInFailed) return turnAway(request, reply, error, page)
        throw error
      }
    },
  }
}

/** Just before the session is there: whoever was disabled meanwhile gets none. */
async function tell(unit: Unit, userId: string, { issuer }: Identity): Promise<void> {
  const user = await createUserStore(unit.trx).byId(userId)
  if (!user || user.disabled) throw new SignInFailed('oidc_account_disabled')
  await unit.emit({
    kind: 'session',
    id: userId,
    action: 'signed-in',
    actor: user.username,
    data: { issuer },
  })
}
