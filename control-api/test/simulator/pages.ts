// SPDX-License-Identifier: MIT
// What versions do to pages, and nodes to files, which only gates of paths and of files can see. It follows from the digest, so
// that nothing else of a run is drawn otherwise.
import { watchFor } from '../../src/features/rollouts/gates/gates.ts'
import type { Gate } from '../../src/features/rollouts/shapes/schema.ts'
import { contentsOf } from './release-files.ts'

export const DOCS: Gate = { metric: 'errors404', path: '/docs/', max: 0.05, onFail: 'revert' }
export const FILES: Gate = { metric: 'releaseFiles', max: 0, onFail: 'pause' }

const watch = watchFor([DOCS])
if (watch === null) throw new Error('a gate of a path must be watched')
export const WATCH = watch

const numberOf = (text: string): number =>
  [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7)

/** Half of what it is asked for below the path is not there. */
export const isLossy = (digest: string): boolean => numberOf(`pages ${digest}`) % 6 === 0

/** The node answers for one file of the release with other bytes. */
export const isMisfiled = (nodeId: string, digest: string): boolean =>
  contentsOf(digest).length > 0 && numberOf(`files ${nodeId} ${digest}`) % 12 === 0

/** Gates that the order of this version has besides. */
export function gatesBesides(digest: string): Gate[] {
  const drawn = numberOf(`gates ${digest}`) % 4
  return [
    ...(drawn === 1 || drawn === 2 ? [DOCS] : []),
    ...((drawn === 2 || drawn === 3) && contentsOf(digest).length > 0 ? [FILES] : []),
  ]
}
