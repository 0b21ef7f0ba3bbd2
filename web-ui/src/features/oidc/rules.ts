// SPDX-License-Identifier: MIT
/** What the control plane sends back with when nobody was signed in, or nothing linked. */
import { t } from '../../languages/t.ts'

const problems = {
  oidc_flow_lost: {
    title: t('That sign-in is no longer active'),
    text: t(
      'It was started in another browser or more than ten minutes ago, or it has ended. Start again.',
    ),
  },
  oidc_denied: {
    title: t('The provider said no'),
    text: t(
      'You cancelled there, or your account may not use this console. Ask your provider’s administrator.',
    ),
  },
  oidc_refused: {
    title: t('The provider’s answer was not accepted'),
    text: t(
      'Begin again. If it stays so, the control plane’s log says what is wrong: often a clock or the client’s secret.',
    ),
  },
  oidc_away: {
    title: t('The provider does not answer'),
    text: t('Try again in a while. A local account still works.'),
  },
  oidc_no_role: {
    title: t('You have no role here'),
    text: t(
      'You are known, but none of your groups has a role in this console. Ask an administrator to put you into one.',
    ),
  },
  oidc_account_disabled: {
    title: t('Your account is disabled'),
    text: t('An administrator of this console has disabled it. Ask one.'),
  },
  oidc_identity_taken: {
    title: t('Not linked'),
    text: t(
      'That identity belongs to another account here, or yours has one already. Unlink that first.',
    ),
  },
} as const

export type OidcProblem = keyof typeof problems
export type Explanation = { title: string; text: string }

export const isOidcProblem = (value: unknown): value is OidcProblem =>
  typeof value === 'string' && Object.hasOwn(problems, value)

export const explain = (problem: OidcProblem): Explanation => problems[problem]

/** Nothing else of an address is believed; said outright, else the router keeps what stands there. */
export const problemIn = ({
  problem,
}: Record<string, unknown>): { problem?: OidcProblem | undefined } => ({
  problem: isOidcProblem(problem) ? problem : undefined,
})
