// SPDX-License-Identifier: MIT

import type { Verdict } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import type { CreatedEnrolmentToken, EnrolmentToken, NodeDetail } from '../../../lib/api-types.ts'

export const MAX_USES = 1000

/** Short first: a secret on its way to a machine should not be good for longer than the way takes. */
export const lives = [
  { seconds: 600, label: t('10 minutes') },
  { seconds: 3600, label: t('1 hour') },
  { seconds: 86_400, label: t('1 day') },
  { seconds: 604_800, label: t('7 days') },
  { seconds: 2_592_000, label: t('30 days') },
] as const
export const DEFAULT_LIFE_SECONDS = 3600

type Uses = { ok: true; uses: number } | { ok: false; message: string }

export function parseUses(text: string): Uses {
  const uses = Number(text.trim())
  if (/^\d+$/.test(text.trim()) && uses >= 1 && uses <= MAX_USES) return { ok: true, uses }
  return { ok: false, message: t('A whole number from 1 to {maxUses}.', { maxUses: MAX_USES }) }
}

export function tokenVerdict(token: EnrolmentToken, now: number): Verdict {
  if (token.uses >= token.maxUses) return { label: t('Used up'), tone: 'idle', shape: 'disc' }
  if (Date.parse(token.expiresAt) <= now)
    return { label: t('Expired'), tone: 'idle', shape: 'ring' }
  return { label: t('Good'), tone: 'good', shape: 'disc' }
}

/** Tokens for plain HTTP have nothing by which the control plane could be known. */
export function isPlain({ token, secret }: Pick<CreatedEnrolmentToken, 'token' | 'secret'>) {
  return token === secret
}

/** Which folder the command makes the node's; the next commands need it again. */
export function stateFolder(command: string): string | null {
  return /--state (\S+)/.exec(command)?.[1] ?? null
}

/** It has an identity that is newer than the token for it. */
export const cameBack = (
  { createdAt }: Pick<CreatedEnrolmentToken, 'createdAt'>,
  { identity: { issuedAt } }: Pick<NodeDetail, 'identity'>,
) => issuedAt !== null && issuedAt >= createdAt

export function usesText({ uses, maxUses }: Pick<EnrolmentToken, 'uses' | 'maxUses'>): string {
  return t('{uses} of {maxUses, plural, one {# use} other {# uses}}', { uses, maxUses })
}
