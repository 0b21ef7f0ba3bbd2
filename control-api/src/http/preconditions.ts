// SPDX-License-Identifier: MIT
// ETag and If-Match: nobody overwrites a change they have not seen.
import { InvalidRequest, PreconditionFailed, PreconditionRequired } from '../api-shapes/errors.ts'
import { isNamed, namedBy } from './etags.ts'

export const etagOf = (revision: number) => `"${revision}"`

/**
 * Throws 428 without the header, 400 when it holds no tags, 412 when it names another state than the current
 * one. "*" is who says that any will do (RFC 9110, 13.1.1).
 */
export function requireIfMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined) throw new PreconditionRequired()
  const named = namedBy(ifMatch)
  if (named === null) throw new InvalidRequest(MALFORMED)
  if (!isNamed(etag, named)) throw new PreconditionFailed(etag).withHeaders({ etag })
}

const MALFORMED =
  'headers/if-match: must be an ETag as it was sent, with its double quotes, as in "3"; or several with commas between them; or *'
