// SPDX-License-Identifier: MIT
// Default deny: a route that does not declare who may call it stops the service from starting; every
// other one is checked here, before its input is looked at (401, 403, then 400).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Access } from '../access/permissions.ts'
import { isWithin, type Labels, reachOf, WholeFarmRequired } from '../access/scope.ts'
import {
  CrossOrigin,
  NeedsSession,
  NodeNotFound,
  NotAllowed,
  NotSignedIn,
  PasswordChangeRequired,
  TokenNotAllowed,
} from '../api-shapes/errors.ts'
import type { SignedInUser } from '../http/app-types.ts'
import type { Selector } from '../labels/selector.ts'
import { bearerOf } from './bearer.ts'

/** Must be called before any route is added. */
export function requireDeclaredAccess(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.permission) return
    throw new Error(
      `${method} ${url} declares no permission. Add config: { permission } to the route; see permissions.ts.`,
    )
  })
}

type Options = {
  /** null: no session, or nobody's any more. */
  userOfSession: (request: FastifyRequest) => Promise<SignedInUser | null>
  /** The console's, as browsers see it; null: nobody said. */
  publicOrigin: string | null
  /** Throws when the token is not valid. */
  userOfToken: (secret: string, address: string) => Promise<SignedInUser>
  /** null: there is no such node. */
  labelsOfNode: (id: string) => Promise<Labels | null>
}

export const accessPlugin = fp<Options>(
  async (app, { userOfSession, userOfToken, labelsOfNode, publicOrigin }) => {
    const callerOf = async (request: FastifyRequest): Promise<SignedInUser> => {
      const secret = bearerOf(request)
      if (secret !== null) return await userOfToken(secret, request.ip)
      const user = await userOfSession(request)
      if (user && isWhoIsMeant(request, user)) return user
      throw new NotSignedIn().withHeaders({ 'www-authenticate': 'Bearer realm="farmstead"' })
    }

    app.decorateRequest('user', null)
    app.addHook('onRequest', async (request) => {
      const { permission: access, forTokensToo } = request.routeOptions.config
      if (access === undefined || access === 'public') {
        refuseForeignPages(request, { required: false, publicOrigin })
        return
      }
      const user = await callerOf(request)
      if (user.token) {
        requireOfToken(user, access, forTokensToo === true)
      } else {
        refuseForeignPages(request, { required: true, publicOrigin })
        requireOfPerson(user, access)
      }
      if (user.scope !== null) await requireReach(request, user.scope, labelsOfNode)
      request.user = user
    })
  },
  { name: 'access', dependencies: ['session'] },
)

/**
 * A page says as whom it speaks: the cookie is its browser's, and in another tab somebody else may have signed in
 * meanwhile. What it sends must not be done in their name.
 */
const isWhoIsMeant = ({ headers }: FastifyRequest, { id }: SignedInUser): boolean =>
  (headers['farmstead-user'] ?? id) === id

function requireOfPerson(user: SignedInUser, access: Access): void {
  if (user.passwordChangeRequired && access !== 'session:own') throw new PasswordChangeRequired()
  if (!carries(user, access)) throw new NotAllowed(access, user.roles)
}

async function requireReach(
  { routeOptions, params }: FastifyRequest,
  scope: Selector,
  labelsOfNode: Options['labelsOfNode'],
): Promise<void> {
  const { url = '', config } = routeOptions
  const reach = reachOf(url, config.permission ?? 'public', config.scope)
  if (reach === 'farm') throw new WholeFarmRequired(scope)
  if (reach !== 'node') return
  const { id = '' } = params as { id?: string }
  const labels = await labelsOfNode(id)
  // As if it were not there: what others have is nobody's business.
  if (labels === null || !isWithin(scope, labels)) throw new NodeNotFound(id)
}

/** No page of another origin makes a browser send a token: who sends one means it. */
function requireOfToken(user: SignedInUser, access: Access, forTokensToo: boolean): void {
  if (access === 'session:own') {
    if (!forTokensToo) throw new NeedsSession()
  } else if (!carries(user, access)) {
    throw new TokenNotAllowed(access, user.token?.name ?? '')
  }
}

const carries = ({ permissions }: SignedInUser, access: Access) =>
  permissions.some((one) => one === access)

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A page elsewhere can make a signed-in browser send requests here (CSRF). SameSite=Strict keeps the
 * cookie at home, but "site" is wider than "origin": another port or subdomain is the same site. So a
 * request that changes something must also say that it comes from this very origin. Browsers put Origin
 * on every such request and pages cannot forge it; Sec-Fetch-Site says the same on secure origins. The
 * second lock is the content type: only JSON bodies are parsed, which a foreign page cannot send without
 * a CORS preflight, and none is ever answered.
 */
function refuseForeignPages(
  request: FastifyRequest,
  { required, publicOrigin }: { required: boolean; publicOrigin: string | null },
): void {
  if (SAFE.has(request.method)) return
  const { origin: given, 'sec-fetch-site': site } = request.headers
  const origin = given && originOf(given)
  const own = originOf(`${request.protocol}://${request.host}`)
  const said = publicOrigin ?? own
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new CrossOrigin(said)
  const isOwn = origin === own || origin === publicOrigin
  if (origin !== undefined && !isOwn && !isOwnBehindTls(origin, request.host, site)) {
    throw new CrossOrigin(said)
  }
  if (required && origin === undefined && site === undefined) throw new CrossOrigin(said)
}

/** As browsers write it: in small letters, without the port that goes without saying. */
const originOf = (url: string): string => URL.parse(url)?.origin ?? url

/** A proxy that ends TLS but is not in FARMSTEAD_TRUST_PROXY hides the scheme; the browser still vouches. */
function isOwnBehindTls(origin: string, host: string, site: unknown): boolean {
  return site === 'same-origin' && origin === originOf(`https://${host}`)
}
