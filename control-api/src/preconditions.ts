// SPDX-License-Identifier: MIT
// ETag and If-Match: nobody overwrites a change they have not seen.
import { PreconditionFailed, PreconditionRequired } from './errors.ts'

export const etagOf = (revision: number) => `"${revision}"`

/** Throws 428 without the header, 412 when it names another state than the current one. */
export function requireIfMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined) throw new PreconditionRequired()
  const given = ifMatch.split(',').map((part) => part.trim())
  // Weak tags never match here (RFC 9110, 13.1.1); "*" would defeat the purpose.
  if (!given.includes(etag)) throw new PreconditionFailed(etag).withHeaders({ etag })
}
