// SPDX-License-Identifier: MIT
// The files of another server's config, found on this machine: those that are named and what they include. Which they are
// is decided here, not by the control plane.
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { matches } from '../features/importers/paths.ts'
import type { Source } from '../features/importers/tree.ts'
import { Failure } from './failures.ts'
import { readTextFile } from './read-text.ts'

export type FoundFile = { path: string; text: string }
const MOST_FILES = 500
const MOST_CHARACTERS = 1_048_576
const MOST_FOLDERS = 50_000

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
  return { source: { read, find: namesOf, below: namesBelow }, files }
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

/** Without following links: no folder is entered twice. */
function namesBelow(folder: string, name: string): string[] {
  const found: string[] = []
  const folders = [folder]
  for (let entered = 0; entered < folders.length; entered++) {
    if (entered === MOST_FOLDERS) {
      throw new Failure(
        `${folder}: ${name} is looked for in ${MOST_FOLDERS} folders at most, and there are more. Import the sites' files one by one.`,
      )
    }
    const at = folders[entered] ?? folder
    for (const entry of entriesIn(at)) {
      if (entry.isDirectory()) folders.push(`${at}/${entry.name}`)
      else if (entry.isFile() && entry.name === name) found.push(`${at}/${name}`)
    }
  }
  return found.sort()
}

/** One that may not be read, or is none, has none. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function namesIn(folder: string, pattern: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(folder)
    .filter((name) => matches(pattern, name))
    .sort()
}
