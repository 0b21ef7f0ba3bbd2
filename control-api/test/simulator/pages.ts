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

/** Texts that differ in a letter have numbers that have nothing in common. */
function numberOf(text: string): number {
  const sum = [...text].reduce((n, letter) => Math.imul(n ^ letter.charCodeAt(0), 16_777_619), 7)
  const mixed = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 13)) >>> 0
}

/** Of versions whose pages below the path are half gone. */
const LOSSY: readonly string[] = ['v2', 'v3']
/** Gates that orders of a version have besides. */
const BESIDES: Readonly<Record<string, readonly Gate[]>> = {
  v1: [FILES],
  v2: [DOCS],
  v3: [DOCS, FILES],
  v4: [DOCS],
  v5: [FILES],
}

export const isLossy = (digest: string): boolean => LOSSY.includes(digest)
export const gatesBesides = (digest: string): readonly Gate[] => BESIDES[digest] ?? []

/** The node answers for one file of the release with other bytes. */
export const isMisfiled = (nodeId: string, digest: string): boolean =>
  contentsOf(digest).length > 0 && numberOf(`files ${nodeId} ${digest}`) % 8 === 0
