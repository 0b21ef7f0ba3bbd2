// SPDX-License-Identifier: MIT
// The files of another server's config, found on this machine: those that are named and what they include. Which they are
// is decided here, not by the control plane.
import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { matches } from '../features/importers/paths.ts'
import { MOST_CHARACTERS, MOST_FILES } from '../features/importers/request.ts'
import type { Source } from '../features/importers/tree.ts'
import { Failure } from './failures.ts'
import { readTextFile } from './read-text.ts'

export type FoundFile = { path: string; text: string }
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

const isFile = (path: string): boolean => statsOf(path)?.isFile() ?? false

/** Nothing where there is nothing, or a link that leads nowhere. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    if (leadsNowhere(error)) return undefined
    throw unreadable(path, error)
  }
}

const leadsNowhere = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(`${(error as NodeJS.ErrnoException).code}`)

/** What is passed over in silence may be what keeps somebody out. */
const unreadable = (path: string, error: unknown): Failure =>
  new Failure(
    `${path}: it may be part of the config, and can't be read (${(error as NodeJS.ErrnoException).code}). Run farmctl as somebody who may read it.`,
  )

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

type Folder = {
  path: string /** By their real names, itself the last. */
  within: readonly string[]
}

/** Through links as well, as a server that follows them; not into a folder that one is in already. */
function namesBelow(folder: string, name: string): string[] {
  const found: string[] = []
  const folders: Folder[] = [{ path: folder, within: [realName(folder)] }]
  for (let entered = 0; entered < folders.length; entered++) {
    if (entered === MOST_FOLDERS) {
      throw new Failure(
        `${folder}: ${name} is looked for in ${MOST_FOLDERS} folders at most, and there are more. Import the sites' files one by one.`,
      )
    }
    const { path: at, within } = folders[entered] as Folder
    for (const entry of entriesIn(at)) {
      const path = `${at}/${entry.name}`
      if (entry.name === name && isFile(path)) found.push(path)
      else if (isFolder(entry, path)) {
        const real = realName(path)
        if (!within.includes(real)) folders.push({ path, within: [...within, real] })
      }
    }
  }
  return found.sort()
}

/** A link may lead nowhere. */
const realName = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const isFolder = (entry: Dirent, path: string): boolean =>
  entry.isDirectory() || (entry.isSymbolicLink() && (statsOf(path)?.isDirectory() ?? false))

/** A root that is on another machine has none. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (leadsNowhere(error)) return []
    throw unreadable(folder, error)
  }
}

function namesIn(folder: string, pattern: string): string[] {
  return entriesIn(folder)
    .map(({ name }) => name)
    .filter((name) => matches(pattern, name))
    .sort()
}
