// SPDX-License-Identifier: MIT
// The state folder of a node: what a crash leaves. Each change is one rename, whole or not at all, and before
// each the machine may fail.
import type { Given } from './messages.ts'
import type { Contents, Trees } from './release-files.ts'

export type Disk = {
  /** fences.json */
  maxEpoch: number
  maxGeneration: number
  maxDigest: string | null
  /** confirmed.json */
  confirmed: Given | null
  /** staged.json */
  staged: Given | null
  /** crash.json: of which generation it tells. */
  crash: number | null
  /** config.jsonc, when a person has changed it: the digest of what is in it now. */
  edited: string | null
  /** releases/contents, releases/trees */
  contents: Contents
  trees: Trees
}

export const emptyDisk = (): Disk => ({
  maxEpoch: 0,
  maxGeneration: 0,
  maxDigest: null,
  confirmed: null,
  staged: null,
  crash: null,
  edited: null,
  contents: new Map(),
  trees: new Map(),
})

/** The machine went down: what was to be done after that is not done. */
export class PowerCut extends Error {}
