// SPDX-License-Identifier: MIT
// How far nodes are with fetching a release, as their reports say it: what counts is that it goes on.
import type { Fetching } from '../agent-protocol/messages.gen.ts'

export function watchFetching() {
  /** Of those that fetch now. */
  const known = new Map<string, Fetching>()
  return {
    /** Whether it has come further since its last report. */
    grew(nodeId: string, said: Fetching | undefined): boolean {
      const before = known.get(nodeId)
      if (said === undefined) {
        known.delete(nodeId)
        return false
      }
      known.set(nodeId, said)
      return (
        before?.manifestSha256 !== said.manifestSha256 ||
        said.filesDone > before.filesDone ||
        said.bytesDone > before.bytesDone
      )
    },
  }
}
