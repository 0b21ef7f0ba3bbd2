// SPDX-License-Identifier: MIT
// What a node, or the control plane, has of releases on its disk. What has its final name is whole and right, whenever one
// looks: only what is verified gets it. So nothing else can ever be served.
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Files, sha256 } from './release-versions.ts'

const DIGEST = /^[0-9a-f]{64}$/

/** What is wrong below `stateDir`; `filesOf`: of the version that has this manifest. */
export function troublesOfStore(
  stateDir: string,
  filesOf: (manifest: string) => Files | null,
): string[] {
  const dir = join(stateDir, 'releases')
  const trees = namesIn(join(dir, 'trees')).filter((name) => DIGEST.test(name))
  return [
    ...troublesOfContents(join(dir, 'contents')),
    ...trees.flatMap((name) => troublesOfTree(join(dir, 'trees', name), name, filesOf(name))),
  ]
}

/** `dir` has them in folders called by how their digests begin. */
export const troublesOfContents = (dir: string): string[] =>
  namesIn(dir)
    .flatMap((aa) => namesIn(join(dir, aa)).map((name) => join(dir, aa, name)))
    .flatMap(troubleOfContent)

/** Of those that have their name: others are not there yet, or on their way out. */
function troubleOfContent(path: string): string[] {
  const name = path.slice(-64)
  if (!DIGEST.test(name) || !path.endsWith(`/${name}`)) return []
  const bytes = bytesOf(path)
  if (bytes === null || sha256(bytes) === name) return []
  return [`the content ${name} has ${bytes.length} bytes of another digest`]
}

function troublesOfTree(dir: string, name: string, files: Files | null): string[] {
  if (files === null) return [`a tree ${name} is of no version that was pushed`]
  const more = filesBelow(dir).filter((path) => files[path] === undefined)
  const wrong = Object.entries(files).filter(
    ([path, text]) => bytesOf(join(dir, path))?.toString('latin1') !== text,
  )
  // It may have gone while it was looked at: that begins with another name.
  if (!existsSync(dir)) return []
  return [
    ...more.map((path) => `tree ${name} has ${path}, which is not in its version`),
    ...wrong.map(([path]) => `tree ${name} lacks ${path}, or has it with other bytes`),
  ]
}

const filesBelow = (dir: string): string[] =>
  entriesIn(dir, true)
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))

/** It may go while it is looked at. */
function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}

export const namesIn = (dir: string): string[] => entriesIn(dir, false).map(({ name }) => name)

function entriesIn(dir: string, recursive: boolean): Dirent[] {
  try {
    return readdirSync(dir, { recursive, withFileTypes: true })
  } catch {
    return []
  }
}
