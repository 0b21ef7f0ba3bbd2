// SPDX-License-Identifier: MIT
// A few files of a release that nodes are asked for: of each kind of name one that both versions have, whose media types
// can be compared, then files that are new, then any. The same seed, the same files. A million files are read once,
// and a few dozen are in memory.
import { Kept } from '../base/kept.ts'
import { seededRandom } from '../base/seeded-random.ts'
import { entriesOfBoth } from './diff.ts'
import type { Entry, FileEntry } from './entries.ts'
import type { ReleaseFolder } from './folder.ts'

export type SampledFile = Pick<FileEntry, 'path' | 'sha256'>
/** `before`: the manifest of the version that was proved last. null: the files of one of them are not here. */
export type SampleOf = (asked: {
  manifest: string
  before: string | null
  seed: number
  most: number
}) => Promise<SampledFile[] | null>

/** A node reads all of it to say its digest. */
const MOST_BYTES = 1024 * 1024
/** Percent-encoded, as it is asked for. */
const MOST_PATH = 1_500
/** Kinds of names that are told apart. */
const MOST_KINDS = 200
/** Nodes of a wave are asked some at a time, all for the same. */
const MOST_KEPT = 100

export function createSampleOf(folder: ReleaseFolder): SampleOf {
  const known = new Kept<Promise<SampledFile[] | null>>({ most: MOST_KEPT })
  return async (asked) => {
    const key = JSON.stringify([asked.manifest, asked.before, asked.seed, asked.most])
    // What was not here may be by now.
    const before = await known.get(key)?.catch(() => null)
    if (before) return before
    const sample = draw(folder, asked)
    known.set(key, sample)
    return await sample
  }
}

async function draw(
  folder: ReleaseFolder,
  { manifest, before, seed, most }: Parameters<SampleOf>[0],
): Promise<SampledFile[] | null> {
  const from = before === null ? null : folder.blob(before)
  try {
    return await sampleOf(entriesOfBoth({ from, to: folder.blob(manifest) }), { seed, most })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

type Both = { before: Entry | null; after: Entry | null }

export async function sampleOf(
  entries: AsyncIterable<Both> | Iterable<Both>,
  { seed, most }: { seed: number; most: number },
): Promise<SampledFile[]> {
  const random = seededRandom(seed)
  const byKind = new Map<string, Reservoir>()
  const changed = createReservoir(most, random)
  const others = createReservoir(most, random)
  for await (const { before, after } of entries) {
    if (after?.type !== 'file' || !isAskedFor(after)) continue
    const isNew = before?.type !== 'file' || before.sha256 !== after.sha256
    if (isNew) changed.add(after)
    else others.add(after)
    if (before?.type === 'file') reservoirOf(byKind, kindOf(after.path), random)?.add(after)
  }
  const kinds = createReservoir(Math.ceil(most / 2), random)
  for (const one of byKind.values()) for (const file of one.all()) kinds.add(file)
  const chosen = [...kinds.all(), ...changed.all(), ...others.all()]
  const byPath = new Map(chosen.map(({ path, sha256 }) => [path, { path, sha256 }]))
  return [...byPath.values()].slice(0, most)
}

function reservoirOf(byKind: Map<string, Reservoir>, kind: string, random: () => number) {
  const known = byKind.get(kind)
  if (known || byKind.size >= MOST_KINDS) return known
  const made = createReservoir(1, random)
  byKind.set(kind, made)
  return made
}

/** The media type of a file follows from how its name ends. */
const kindOf = (path: string): string => /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? ''

/** Hidden files no node serves. */
const isAskedFor = ({ path, size }: FileEntry) =>
  size <= MOST_BYTES && !/(^|\/)\./.test(path) && urlPathOf(path).length <= MOST_PATH

export const urlPathOf = (path: string): string =>
  `/${path.split('/').map(encodeURIComponent).join('/')}`

type Reservoir = { add(file: FileEntry): void; all(): FileEntry[] }

/** Of all that are added each has the same chance. */
function createReservoir(most: number, random: () => number): Reservoir {
  const kept: FileEntry[] = []
  let seen = 0
  return {
    add(file) {
      seen++
      if (kept.length < most) {
        kept.push(file)
        return
      }
      const place = Math.floor(random() * seen)
      if (place < most) kept[place] = file
    },
    all: () => kept,
  }
}
