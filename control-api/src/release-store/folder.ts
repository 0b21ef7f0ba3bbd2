// SPDX-License-Identifier: MIT
// Where what belongs to releases lies below the data folder:
//
//   releases/blobs/9f/9f86d0…     contents, named by their SHA-256; whole and verified, or not there
//   releases/uploads/9f86d0…      what has come of one so far
//   releases/lists/4e07….blobs    of a manifest: which blobs it needs (blob-list.ts). Made from it, so made again at need
//   releases/deltas/4e07….9f86…   of two manifests: what makes the first of the second (deltas.ts); gone with the service
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { mkdir, open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'

const RELEASES_FOLDER = 'releases'
/** Of what is being written; an end in the middle leaves it to the next start. */
export const UNFINISHED = '.tmp'

export type ReleaseFolder = ReturnType<typeof openFolder>

export function openFolder(dataDir: string) {
  const root = join(dataDir, RELEASES_FOLDER)
  const [blobs, uploads, lists, deltas] = ['blobs', 'uploads', 'lists', 'deltas'].map((name) =>
    join(root, name),
  ) as [string, string, string, string]
  rmSync(deltas, { recursive: true, force: true })
  for (const path of [blobs, uploads, lists, deltas])
    mkdirSync(path, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(lists)) {
    if (name.endsWith(UNFINISHED)) rmSync(join(lists, name))
  }
  const blobsOf = (first: string) => join(blobs, first)
  const blob = (sha256: string) => join(blobsOf(sha256.slice(0, 2)), sha256)
  const upload = (sha256: string) => join(uploads, sha256)
  return {
    ...{ root, blobs, uploads, lists, blobsOf, blob, upload },
    /** The first bytes that blobs have, in their order. */
    async parts(): Promise<string[]> {
      const there = new Set(await readdir(blobs))
      return FIRST_BYTES.filter((first) => there.has(first))
    },
    /** What was uploaded is whole and right: it gets its name. */
    async keep(sha256: string): Promise<void> {
      const move = () => rename(upload(sha256), blob(sha256))
      await move().catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        // The first one that begins so. Most are not, and to look first would be a step more for each of a million.
        await mkdir(blobsOf(sha256.slice(0, 2)), { recursive: true, mode: 0o700 })
        await move()
      })
    },
    list: (sha256: string) => join(lists, `${sha256}.blobs`),
    delta: ({ target, base }: { target: string; base: string }) =>
      join(deltas, `${target}.${base}`),
  }
}

/** 256 folders: a million blobs are four thousand names in each. */
export const FIRST_BYTES: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/** What is in it stays so after a power cut; of a folder, which names are in it. Off the loop, which syncFolder is not. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The names of all contents, and of what they lie in: once for a version, and not for each content. */
export async function syncNames({ root, blobs, blobsOf, parts }: ReleaseFolder): Promise<void> {
  for (const first of await parts()) await syncFile(blobsOf(first))
  for (const path of [blobs, root]) await syncFile(path)
}
