// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'
import type { OidcProblem } from './rules.ts'

export const OidcNotConfigured = defineError(
  404,
  'oidc_not_configured',
  'No identity provider',
  () =>
    'This control plane knows no identity provider. FARMSTEAD_OIDC_ISSUER names one; see docs/single-sign-on.md.',
)
export const ProviderAway = defineError(
  503,
  'oidc_away',
  'The identity provider does not answer',
  () =>
    'Nothing was changed. Try again, or sign in with a password; the service’s log has the cause.',
)
export const NotLinked = defineError(
  404,
  'oidc_not_linked',
  'Nothing is linked',
  () => 'Your account has no identity at the provider.',
)
export const NoOtherWayIn = defineError(
  409,
  'no_other_way_in',
  'You would lock yourself out',
  () =>
    'Your account has no password, so the provider is the only way in. An administrator can give you a password first.',
)

/** Why nobody is signed in; `cause` is for the log. */
export class SignInFailed extends Error {
  readonly problem: OidcProblem
  constructor(problem: OidcProblem, options?: ErrorOptions) {
    super(problem, options)
    this.problem = problem
  }
}
