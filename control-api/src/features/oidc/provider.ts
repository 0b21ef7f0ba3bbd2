// SPDX-License-Identifier: MIT
// The identity provider, asked when somebody signs in and not before: one that is away must not keep
// the service from starting.
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
} from 'openid-client'
import type { OidcConfig } from '../../environment/oidc.ts'
import { SignInFailed } from './errors.ts'
import type { Flow } from './flow.ts'
import { type Claims, claimAt, groupsIn, namesIn, type OidcProblem } from './rules.ts'

export type Identity = {
  issuer: string
  subject: string
  groups: string[]
  /** What the provider calls the person, best first. */
  names: unknown[]
}

const TIMEOUT_S = 10
/** Providers move their endpoints seldom; their keys are looked up by the library when one is unknown. */
const DISCOVER_AGAIN_MS = 3600_000

type Deps = { config: OidcConfig; redirectUri: string; now: () => number }

export function createProvider({ config, redirectUri, now }: Deps) {
  let known: { configuration: Promise<Configuration>; atMs: number } | null = null

  const discovered = async (): Promise<Configuration> => {
    if (!known || Math.abs(now() - known.atMs) > DISCOVER_AGAIN_MS) {
      known = { configuration: discover(config), atMs: now() }
    }
    const { configuration } = known
    try {
      return await configuration
    } catch (cause) {
      // The next sign-in tries again.
      if (known?.configuration === configuration) known = null
      throw new SignInFailed('oidc_away', { cause })
    }
  }

  return {
    /** Where the browser is sent. */
    async authorizationUrl({ state, nonce, codeVerifier }: Flow): Promise<URL> {
      return buildAuthorizationUrl(await discovered(), {
        redirect_uri: redirectUri,
        scope: config.scopes,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      })
    },

    /** Who came back with `answer`, the query of the callback. Throws SignInFailed. */
    async identify(answer: string, flow: Flow): Promise<Identity> {
      const configuration = await discovered()
      const url = new URL(`${redirectUri}${answer}`)
      if (url.searchParams.get('state') !== flow.state) throw new SignInFailed('oidc_flow_lost')
      try {
        const tokens = await authorizationCodeGrant(configuration, url, {
          expectedState: flow.state,
          expectedNonce: flow.nonce,
          pkceCodeVerifier: flow.codeVerifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims) throw new SignInFailed('oidc_refused')
        const more = needsUserInfo(configuration, claims, config)
          ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : {}
        const { groupsClaim } = config
        return {
          issuer: config.issuer,
          subject: claims.sub,
          groups: groupsIn(claimAt(claims, groupsClaim) ?? claimAt(more, groupsClaim)),
          names: namesIn({ ...more, ...claims }),
        }
      } catch (error) {
        throw error instanceof SignInFailed
          ? error
          : new SignInFailed(problemOf(error), { cause: error })
      }
    },
  }
}

async function discover({ issuer, clientId, clientSecret }: OidcConfig): Promise<Configuration> {
  const url = new URL(issuer)
  return await discovery(url, clientId, undefined, authentication(clientSecret), {
    // A token that came over TLS from the provider is looked at as closely as any other.
    execute: [
      enableNonRepudiationChecks,
      // envToConfig lets only addresses of this machine through.
      ...(url.protocol === 'http:' ? [allowInsecureRequests] : []),
    ],
    timeout: TIMEOUT_S,
  })
}

/** As the provider says it wants the secret; one that says nothing wants Basic (Discovery 1.0, section 3). */
function authentication(secret: string | null): ClientAuth {
  if (secret === null) return None()
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}

/** Some providers tell groups or names only there. */
function needsUserInfo(
  configuration: Configuration,
  claims: Claims,
  { groupsClaim }: OidcConfig,
): boolean {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return false
  return claimAt(claims, groupsClaim) === undefined || namesIn(claims).length === 0
}

function problemOf(error: unknown): OidcProblem {
  if (error instanceof AuthorizationResponseError) return 'oidc_denied'
  return isUnreachable(error) ? 'oidc_away' : 'oidc_refused'
}

/** `fetch` fails with a TypeError, a time-out with a DOMException; the library wraps what it got. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof Response) return error.status >= 500
  if (!(error instanceof Error)) return false
  if (error.name === 'TimeoutError' || error.message === 'fetch failed') return true
  return isUnreachable(error.cause)
}
