// SPDX-License-Identifier: MIT
// What is to be imported, as far as it was given; what was left open is as the files' names say. Pure.
import { t } from '../../../languages/t.ts'
import type { ImportBody, ImportedLanguage, KnownImports } from '../../../lib/api-types.ts'
import { formatCount } from '../../../lib/format.ts'

/** `name` is from the folder that all lie in, or a whole path. */
export type GivenFile = { name: string; text: string }
export type LeftOut = { name: string; why: string }
export type ImportInput = {
  /** null: as the files' names say. */
  language: ImportBody['language'] | null
  /** Where the files lie on the old server; null: where they usually do. */
  folder: string | null
  /** Names of those that it begins with; null: those that are usually it. */
  main: string[] | null
  files: GivenFile[]
  leftOut: LeftOut[]
}
export type Settled = { language: ImportedLanguage; folder: string; main: string[] }

export const emptyInput: ImportInput = {
  ...{ language: null, folder: null, main: null },
  ...{ files: [], leftOut: [] },
}

const baseOf = (name: string) => name.slice(name.lastIndexOf('/') + 1)
const depthOf = (name: string) => name.split('/').length
const byName = (a: GivenFile, b: GivenFile) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** What all that was left open is. */
export function settled(input: ImportInput, known: KnownImports): Settled {
  const names = input.files.map(({ name }) => name)
  const chosen = known.languages.find(({ language }) => language === input.language)
  const language = chosen ?? languageOf(names, known) ?? known.languages[0]
  if (!language) throw new Error('The control plane imports nothing.')
  const folder = input.folder ?? language.folder
  if (input.main) return { language, folder, main: input.main }
  const usual = usualMain(names, language.mainFiles)
  const all = names.length > known.mostMainFiles ? [] : names
  return { language, folder, main: usual === undefined ? all : [usual] }
}

/** Whose config they look like; null: their names do not say. */
export const languageOf = (
  names: readonly string[],
  { languages }: KnownImports,
): ImportedLanguage | null =>
  languages.find(({ mainFiles }) => usualMain(names, mainFiles) !== undefined) ?? null

/** Copies that somebody keeps lie deeper. */
const usualMain = (names: readonly string[], mainFiles: readonly string[]): string | undefined =>
  names
    .filter((name) => mainFiles.includes(baseOf(name)))
    .toSorted((a, b) => depthOf(a) - depthOf(b))[0]

/** Files of a name that was there take its place. */
export function withFiles(
  input: ImportInput,
  files: readonly GivenFile[],
  leftOut: readonly LeftOut[] = [],
): ImportInput {
  const names = new Set([...files, ...leftOut].map(({ name }) => name))
  return {
    ...input,
    files: [...input.files.filter(({ name }) => !names.has(name)), ...files].toSorted(byName),
    leftOut: [...input.leftOut.filter(({ name }) => !names.has(name)), ...leftOut],
  }
}

export const withoutFile = (input: ImportInput, name: string): ImportInput => ({
  ...input,
  files: input.files.filter((file) => file.name !== name),
  main: input.main?.filter((one) => one !== name) ?? null,
})

/** Names as they are from the folder of the main file, wherever a folder was taken hold of: /etc, /etc/nginx or a copy. */
export function placedNames(names: readonly string[], known: KnownImports): string[] {
  const mainFiles = known.languages.flatMap((language) => language.mainFiles)
  const main = usualMain(names, mainFiles)
  if (main !== undefined) return names.map((name) => relative(folderOf(main), name))
  const tops = new Set(names.map((name) => name.split('/')[0]))
  const [top] = tops
  const isHome = known.languages.some(({ folder }) => baseOf(folder) === top)
  return tops.size === 1 && isHome ? names.map((name) => relative(top ?? '', name)) : [...names]
}

const folderOf = (name: string) => name.slice(0, Math.max(0, name.lastIndexOf('/')))

function relative(folder: string, name: string): string {
  const from = folder === '' ? [] : folder.split('/')
  const to = name.split('/')
  let same = 0
  while (same < from.length && same < to.length - 1 && from[same] === to[same]) same++
  return [...from.slice(same).map(() => '..'), ...to.slice(same)].join('/')
}

/** The path on the old server. */
export function pathOf(folder: string, name: string): string {
  const parts: string[] = []
  for (const part of (name.startsWith('/') ? name : `${folder}/${name}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

export function bodyFor(input: ImportInput, known: KnownImports): ImportBody {
  const { language, folder, main } = settled(input, known)
  return {
    language: language.language,
    main: main.map((name) => pathOf(folder, name)),
    files: input.files.map(({ name, text }) => ({ path: pathOf(folder, name), text })),
  }
}

export const charactersOf = (files: readonly GivenFile[]): number =>
  files.reduce((sum, { text }) => sum + text.length, 0)

/** Why it can't be read yet, or null. */
export function whyNotImport(input: ImportInput, known: KnownImports): string | null {
  const { files } = input
  const { folder, main } = settled(input, known)
  const { mostFiles, mostMainFiles, mostCharacters } = known
  if (files.length === 0) return t('Choose its files first.')
  if (!folder.startsWith('/'))
    return t('The folder begins with “/”: its whole path on that server.')
  if (files.length > mostFiles) {
    return t(
      'Remove {files, plural, one {# file} other {# files}}: {mostFiles} can be read at once.',
      { files: files.length - mostFiles, mostFiles: formatCount(mostFiles) },
    )
  }
  const beyond = charactersOf(files) - mostCharacters
  if (beyond > 0) {
    return t(
      'Remove files with {beyond, plural, one {# character} other {# characters}}: {mostCharacters} can be read at once.',
      { beyond, mostCharacters: formatCount(mostCharacters) },
    )
  }
  if (main.length === 0) return t('Tick the file that the config begins with.')
  return main.length > mostMainFiles
    ? t('Tick at most {mostMainFiles} files that it begins with.', { mostMainFiles })
    : null
}

const AVAILABLE = '-available'

/** Folders as sites-available without their links: a browser leaves these out, and sites-enabled is made of them. */
export function unlinkedFolders(files: readonly GivenFile[]): string[] {
  const folders = new Set(files.flatMap(({ name }) => name.split('/').slice(0, -1)))
  return [...folders]
    .filter((folder) => folder.endsWith(AVAILABLE) && !folders.has(enabledOf(folder)))
    .toSorted()
}

export const enabledOf = (folder: string) => folder.replace(/-available$/, '-enabled')

/** As if all files of that folder were linked: what includes the links finds them in their place. */
export function allEnabled(input: ImportInput, folder: string): ImportInput {
  const renamed = (name: string) =>
    name
      .split('/')
      .map((part) => (part === folder ? enabledOf(part) : part))
      .join('/')
  return {
    ...input,
    files: input.files.map(({ name, text }) => ({ name: renamed(name), text })).toSorted(byName),
    main: input.main?.map(renamed) ?? null,
  }
}
