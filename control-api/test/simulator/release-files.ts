// SPDX-License-Identifier: MIT
// What a node of the simulation has of releases, as server-c/src/release has it: contents that were verified, and trees of
// those that are whole. Every second version has a release; some of its contents it shares with all others.

/** Whether its digest was compared, by name. */
export type Contents = ReadonlyMap<string, boolean>
/** Names of contents, by the digest that the tree is of. */
export type Trees = ReadonlyMap<string, readonly string[]>

const OWN = 4

export function contentsOf(digest: string): readonly string[] {
  const sum = [...digest].reduce((before, letter) => before + letter.charCodeAt(0), 0)
  if (digest.startsWith('local') || sum % 2 === 0) return []
  return ['shared', ...Array.from({ length: OWN }, (_, i) => `${digest} ${i}`)]
}

/** What is to be fetched next; undefined: nothing is missing. */
export const firstMissing = (contents: Contents, digest: string): string | undefined =>
  contentsOf(digest).find((name) => !contents.has(name))

/** Of these alone. */
export function swept(
  { contents, trees }: { contents: Contents; trees: Trees },
  digests: readonly string[],
): { contents: Contents; trees: Trees } {
  const named = new Set(digests.flatMap(contentsOf))
  return {
    contents: new Map([...contents].filter(([name]) => named.has(name))),
    trees: new Map([...trees].filter(([digest]) => digests.includes(digest))),
  }
}

/** Why what the node serves is no release; null: it is one, or has none. */
export function whyNotWhole(
  { contents, trees }: { contents: Contents; trees: Trees },
  digest: string,
): { invariant: 'R1' | 'R2'; what: string } | null {
  const names = contentsOf(digest)
  if (names.length === 0) return null
  const served = trees.get(digest)
  if (!served) return { invariant: 'R1', what: 'whose tree is not there' }
  const lacking = names.find((name) => contents.get(name) !== true || !served.includes(name))
  if (lacking !== undefined) return { invariant: 'R1', what: `without a verified ${lacking}` }
  const other = served.find((name) => !names.includes(name))
  return other === undefined ? null : { invariant: 'R2', what: `with ${other}, which is not of it` }
}
