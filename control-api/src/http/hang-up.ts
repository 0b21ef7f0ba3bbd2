// SPDX-License-Identifier: MIT
import type { FastifyReply } from 'fastify'

/** Aborted once the caller has gone: nobody needs an answer that nobody reads. */
export function hangUpOf({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController()
  // Also before it came to this.
  if (raw.destroyed) gone.abort()
  raw.once('close', () => gone.abort())
  return gone.signal
}
