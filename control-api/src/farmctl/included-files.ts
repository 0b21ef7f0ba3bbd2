// SPDX-License-Identifier: MIT
// The files of another server's config, found on this machine: those that are named and what they include. Which they are
// is decided here, not by the control plane.
import { readdirSync, statSync } from 'node:fs'
import { matches } from '../features/importers/paths.ts'
import type { Source } from '../features/importers/tree.ts'
import { Failure } from './failures.ts'
import { readTextFile } from './read-text.ts'

export type FoundFile = { path: string; text: string }
const MOST_FILES = 500
const MOST_CHARACTERS = 1_048_576

/** `files` fills while something reads from `source`. */
export function diskSource(): { source: Source; files: FoundFile[] } {
  const texts = new Map<string, string>()
  const files: FoundFile[] = []
  let characters = 0
  const read = (path: string): string | null => {
    const known = texts.get(path)
    if (known !== undefined) return known
    if (!isFile(path)) return null
    if (files.length >= MOST_FILES) throw new Failure(`More than ${MOST_FILES} files are included.`)
    const text = readTextFile(path)
    characters += text.length
    if (characters > MOST_CHARACTERS) {
      throw new Failure(`${path}: with it the files have more than ${MOST_CHARACTERS} characters.`)
    }
    texts.set(path, text)
    files.push({ path, text })
    return text
  }
  return { source: { read, find: (pattern) => namesOf(pattern) }, files }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** Of an absolute path with stars, folder by folder. */
function namesOf(pattern: string): string[] {
  const [, ...parts] = pattern.split('/')
  let folders = ['']
  for (const part of parts) {
    folders = folders.flatMap((folder) =>
      /[*?[]/.test(part)
        ? namesIn(folder || '/', part).map((name) => `${folder}/${name}`)
        : [`${folder}/${part}`],
    )
    if (folders.length > MOST_FILES) throw new Failure(`${pattern}: more than ${MOST_FILES} files.`)
  }
  return folders.filter(isFile)
}

function namesIn(folder: string, pattern: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(folder)
    .filter((name) => matches(pattern, name))
    .sort()
}
