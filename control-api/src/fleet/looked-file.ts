// SPDX-License-Identifier: MIT
// What a node's own answer for a file of a release says of it. Pure.
import type { ProbeAnswer } from './probe-orders.ts'

/** Elsewhere, or not for everybody: it says nothing of the file. */
const SAYS_NOTHING: readonly number[] = [301, 302, 303, 307, 308, 401, 403, 429]

export const saysSomething = ({ status }: ProbeAnswer): boolean =>
  !SAYS_NOTHING.includes(status ?? 0)

/** null: it is what `release` ("www@41") has. */
export function whatIsWrong(
  { status, sha256 }: ProbeAnswer,
  file: { sha256: string; release: string },
): string | null {
  if (status === null) return `no answer came; it is in ${file.release}`
  if (status !== 200) return `${status}, and is in ${file.release}`
  return sha256 === file.sha256 ? null : `other content than ${file.release} has`
}
