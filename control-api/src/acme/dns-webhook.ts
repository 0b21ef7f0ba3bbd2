// SPDX-License-Identifier: MIT
// DNS-01 by somebody's own program: it is told which TXT record to add or to take away, signed as webhooks are.
// It answers 200 once every name server of the zone has the record, 202 while they have not: then it is told again.
import type { ChallengeSolver, LiveChallenge, Publication } from './challenges.ts'
import { sha256Bytes } from './keys.ts'

export type Told = { status: number | null; error: string | null; retryAfterMs: number | null }
type Deps = {
  /** Signs and sends. `id` is the same whenever the same is told again. */
  post(message: { id: string; body: string }): Promise<Told>
}

const LOOK_AGAIN_MS = 5000
const LOOK_AGAIN_MAX_MS = 5 * 60_000

export class DnsWebhookFailed extends Error {}

export function createDnsWebhook({ post }: Deps): ChallengeSolver {
  const present = async (challenge: LiveChallenge): Promise<Publication> => {
    const { status, error, retryAfterMs } = await post(messageOf('present', challenge))
    if (status === 200 || status === 204) return { ready: true, without: [] }
    const why = status === 202 ? 'is not everywhere yet' : `could not be set: ${error}`
    return {
      ready: false,
      waitingFor: [],
      reason: `The record ${recordOf(challenge)} ${why}`,
      waitMs: Math.min(Math.max(retryAfterMs ?? 0, LOOK_AGAIN_MS), LOOK_AGAIN_MAX_MS),
    }
  }
  return {
    /** One after the other, to the end: zones take their time, and the waits go by side by side. */
    async publish(_order, challenges) {
      let waiting: Publication | null = null
      for (const challenge of challenges) {
        const publication = await present(challenge)
        if (!publication.ready) waiting ??= publication
      }
      return waiting ?? { ready: true, without: [] }
    },
    async cleanUp(_order, challenges) {
      for (const challenge of challenges) {
        const { status, error } = await post(messageOf('cleanup', challenge))
        const isDone = status !== null && status >= 200 && status < 300
        // 404: it was gone already.
        if (isDone || status === 404) continue
        throw new DnsWebhookFailed(
          `The record ${recordOf(challenge)} could not be removed: ${error}`,
        )
      }
    },
  }
}

const recordOf = ({ host }: LiveChallenge) => `_acme-challenge.${host}`

function messageOf(action: 'present' | 'cleanup', challenge: LiveChallenge) {
  const name = recordOf(challenge)
  const value = challenge.keyAuthorization
  const digest = sha256Bytes(`${action} ${name} ${value}`).toString('base64url')
  const data = { action, name, type: 'TXT', value, host: challenge.host }
  return { id: `challenge_${digest}`, body: JSON.stringify({ type: `dns-01.${action}`, data }) }
}
