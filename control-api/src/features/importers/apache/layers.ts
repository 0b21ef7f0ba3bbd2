// SPDX-License-Identifier: MIT
// What holds where, in Apache's order: the server, folders from the shortest with their .htaccess, names of files, then
// addresses. Of two layers that say the same setting the later one counts.
import type { Findings } from '../findings.ts'
import { normal } from '../paths.ts'
import { MOST_PATTERNS, namesOf, patternsBelow, patternsOf } from '../regex.ts'
import { HIDDEN_FILES } from '../sayings.ts'
import { argsOf, type Directive, everyDirective } from '../tree.ts'
import { keyOf } from './parser.ts'
import type { Body, Section } from './sections.ts'

export type Layer = {
  /** null: all. */
  paths: readonly string[] | null
  /** Of a folder or an address its beginning, with "/" at its end; null: it goes by names or expressions. */
  prefix: string | null
  /** Of names that stand in a folder its prefix. */
  within: string | null
  kind: 'server' | 'folder' | 'files' | 'address'
  directives: readonly Directive[]
}
export type Said = { directive: Directive; layer: Layer }
export type Alias = { directive: Directive; path: string; folder: string }
export type FolderFile = { folder: string; body: Body }

export const UNSAYABLE =
  'Its expression says more than patterns of paths can. Write the paths into the rule by hand.'

export class Layers {
  readonly list: readonly Layer[]
  readonly #byName = new Map<string, Said[]>()

  constructor(list: readonly Layer[]) {
    this.list = list
    for (const layer of list) {
      for (const directive of layer.directives) {
        const key = keyOf(directive)
        const said = this.#byName.get(key) ?? []
        said.push({ directive, layer })
        this.#byName.set(key, said)
      }
    }
  }

  /** The weakest first. */
  all(...keys: readonly string[]): Said[] {
    const [only = ''] = keys
    if (keys.length === 1) return this.#byName.get(only) ?? []
    const order = new Map(this.list.map((layer, i) => [layer, i]))
    return keys
      .flatMap((key) => this.#byName.get(key) ?? [])
      .sort((a, b) => (order.get(a.layer) ?? 0) - (order.get(b.layer) ?? 0))
  }

  /** What holds for the site as a whole. */
  last(key: string): Directive | null {
    return this.all(key).findLast(({ layer }) => layer.paths === null)?.directive ?? null
  }

  /** What holds where a layer does: said by it, or by one around it. */
  lastFor(key: string, layer: Layer): Directive | null {
    return this.all(key).findLast((said) => isAround(said.layer, layer))?.directive ?? null
  }

  /** What holds where a layer does, the weakest first. */
  allFor(key: string, layer: Layer): Said[] {
    return this.all(key).filter((said) => isAround(said.layer, layer))
  }

  /** Said for a part of where a layer holds. */
  within(key: string, layer: Layer): Said[] {
    const begin = beginOf(layer)
    return this.all(key).filter(
      ({ layer: { paths, prefix }, layer: other }) =>
        paths !== null &&
        !isAround(other, layer) &&
        (begin === null || prefix === null || prefix.startsWith(begin)),
    )
  }
}

const beginOf = ({ prefix, within }: Layer) => prefix ?? within

function isAround(other: Layer, layer: Layer): boolean {
  const begin = beginOf(layer)
  return (
    other.paths === null ||
    other.paths === layer.paths ||
    (begin !== null && other.prefix !== null && begin.startsWith(other.prefix))
  )
}

type Where = { root: string; aliases: readonly Alias[]; findings: Findings }
type Placed = { layer: Layer; inner: readonly Section[]; text: string }

/** `bodies`: of the server as a whole, then of the host. */
export function layersOf(
  bodies: readonly Body[],
  files: readonly FolderFile[],
  where: Where,
): Layers {
  const server = bodies.map(({ own }) => layer('server', null, '/', own))
  const folders = foldersOf(bodies, files, where)
  const inFolders = folders.flatMap(({ layer: around, inner }) =>
    inner.flatMap((section) => filesOf(section, around, where)),
  )
  const named = bodies.flatMap(({ files: all }) => all.flatMap((one) => filesOf(one, null, where)))
  const addresses = bodies.flatMap(({ locations }) =>
    locations.flatMap((one) => addressOf(one, where)),
  )
  return new Layers([
    ...server,
    ...folders.map((one) => one.layer),
    ...named,
    ...inFolders,
    ...addresses,
  ])
}

const layer = (
  kind: Layer['kind'],
  paths: Layer['paths'],
  prefix: string | null,
  directives: readonly Directive[],
  within: string | null = null,
): Layer => ({ kind, paths, prefix, within, directives })

function foldersOf(bodies: readonly Body[], files: readonly FolderFile[], where: Where): Placed[] {
  const sections = bodies.flatMap(({ folders }) => folders)
  const plain = sections.filter(({ isRegex }) => !isRegex)
  const sorted = [
    ...plain.map(({ text, body, directive }) => ({ text, body, directive, isFile: false })),
    ...files.map(({ folder, body }) => ({ text: folder, body, directive: null, isFile: true })),
  ]
    .map((one) => ({ ...one, depth: depthOf(one.text) }))
    .sort((a, b) => a.depth - b.depth || Number(a.isFile) - Number(b.isFile))
  const placed = sorted.flatMap(({ text, body, directive }) => {
    const found = placesOf(text, where)
    if (directive && found.length === 0 && mayMean(text, where))
      where.findings.unsupported([...everyDirective([directive])], 'location', UNSAYABLE)
    else if (directive) where.findings.taken(directive)
    return found.map(({ paths, prefix }) => ({
      ...{ text, inner: body.files, layer: layer('folder', paths, prefix, body.own) },
    }))
  })
  // What holds for the whole root stands before what holds for a part of it, however deep either is on the disk.
  const isWhole = ({ layer: one }: Placed) => one.paths === null
  const byRegex = sections.filter(({ isRegex }) => isRegex)
  return [
    ...placed.filter(isWhole),
    ...placed.filter((one) => !isWhole(one)),
    ...byRegex.flatMap((section) => {
      const paths = regexPaths(section, where, ({ text, isCaseless }) =>
        folderPatterns(text, isCaseless, where),
      )
      if (!paths) return []
      const own = layer('folder', paths, null, section.body.own)
      return [{ text: section.text, inner: section.body.files, layer: own }]
    }),
  ]
}

/** A folder with stars that may be one of those served, or lie in one. */
function mayMean(folder: string, { root, aliases }: Where): boolean {
  const [fixed = ''] = folder.split(/[*?[]/)
  if (fixed === folder) return false
  return [root, ...aliases.map((one) => one.folder)].some(
    (served) => `${served}/`.startsWith(fixed) || fixed.startsWith(`${served}/`),
  )
}

const depthOf = (path: string) => path.split('/').filter((one) => one !== '').length

/** Where a folder of the disk is found: below the root, below aliases. */
function placesOf(
  folder: string,
  { root, aliases }: Where,
): { paths: string[] | null; prefix: string }[] {
  const spaces = [
    { path: '/', folder: root },
    ...aliases.map((one) => ({ path: one.path, folder: one.folder })),
  ]
  return spaces.flatMap(({ path, folder: served }) => {
    if (covers(folder, served)) {
      return [{ paths: path === '/' ? null : [`${path}**`], prefix: path }]
    }
    const below = folder.startsWith(served === '/' ? '/' : `${served}/`)
    if (!below || /[*?[]/.test(folder)) return []
    const prefix = normal(`${path}${folder.slice(served.length)}`)
    return [{ paths: [prefix, `${prefix}/**`], prefix: `${prefix}/` }]
  })
}

export function covers(folder: string, path: string): boolean {
  if (folder === '/' || folder === path || path.startsWith(`${folder}/`)) return true
  if (!/[*?[]/.test(folder)) return false
  const wanted = folder.split('/')
  const had = path.split('/')
  return (
    had.length >= wanted.length &&
    wanted.every((part, i) => part === '*' || part === (had[i] ?? ''))
  )
}

/** null: patterns can't say it, or it means no folder that is served. */
function folderPatterns(
  regex: string,
  isCaseless: boolean,
  { root, aliases }: Where,
): string[] | null {
  const inRoot = patternsBelow(regex, isCaseless, { folder: root, address: '' })
  const inAliases = aliases.map(({ folder, path }) =>
    patternsBelow(regex, isCaseless, { folder, address: path.replace(/\/$/, '') }),
  )
  if (!inRoot || inAliases.includes(null)) return null
  /** It looks anywhere, so what it means of an alias is among what it means of the root. */
  const anywhere = inRoot.filter((one) => one.startsWith('/**')).map((one) => one.slice(3))
  const others = inAliases
    .flatMap((patterns) => patterns ?? [])
    .filter((one) => !anywhere.some((end) => one.endsWith(end)))
  const all = [...new Set([...inRoot, ...others])]
  return all.length === 0 || all.length > MOST_PATTERNS ? null : all
}

const HIDDEN = /^\^?(\.\*)?(\(\^\|\/\)|\/)\\\.(\(\?![^()]*(\([^()]*\)[^()]*)*\)|$|\+|\.)[^|()]*$/

type Regex = { text: string; isCaseless: boolean }
function regexPaths(
  section: Section,
  { findings }: Where,
  read: (regex: Regex) => string[] | null,
): string[] | null {
  const { text: regex, directive } = section
  const all = [...everyDirective([directive])]
  if (HIDDEN.test(regex)) {
    findings.different(all, 'hidden-files', HIDDEN_FILES)
    return null
  }
  const paths = read({ text: regex.replace(/^\(\?i\)/, ''), isCaseless: regex.startsWith('(?i)') })
  if (paths) findings.taken(directive)
  else findings.unsupported(all, 'location', UNSAYABLE)
  return paths
}

function filesOf(section: Section, around: Layer | null, where: Where): Layer[] {
  const { text, isRegex, directive, body } = section
  const names = isRegex
    ? namesOf(text.replace(/^\(\?i\)/, ''), text.startsWith('(?i)'))
    : /[[/]/.test(text)
      ? null
      : [text]
  const paths = names && namesWithin(names, around)
  if (!paths) {
    where.findings.unsupported([...everyDirective([directive])], 'location', UNSAYABLE)
    return []
  }
  where.findings.taken(directive)
  return [layer('files', paths, null, body.own, around?.prefix ?? null)]
}

function namesWithin(names: readonly string[], around: Layer | null): string[] | null {
  if (!around || around.paths === null) return [...names]
  const { prefix } = around
  if (prefix === null) return null
  return names.flatMap((name) =>
    name.startsWith('*') ? [`${prefix}**${name.slice(1)}`] : [`${prefix}**/${name}`, prefix + name],
  )
}

function addressOf(section: Section, where: Where): Layer[] {
  const { text, isRegex, directive, body } = section
  if (isRegex) {
    const paths = regexPaths(section, where, (regex) => patternsOf(regex.text, regex.isCaseless))
    return paths ? [layer('address', paths, null, body.own)] : []
  }
  const path = /^https?:\/\/[^/]+(\/.*)$/i.exec(text)?.[1] ?? text
  if (!path.startsWith('/') || /[[\]]/.test(path)) {
    where.findings.unsupported([...everyDirective([directive])], 'location', UNSAYABLE)
    return []
  }
  where.findings.taken(directive)
  if (path === '/') return [layer('address', null, '/', body.own)]
  if (path.endsWith('/')) return [layer('address', [`${path}**`], path, body.own)]
  return [layer('address', [path, `${path}/**`], `${path}/`, body.own)]
}

export const argOf = (directive: Directive | null): string =>
  directive ? (argsOf(directive)[0] ?? '') : ''
export const isOn = (directive: Directive | null): boolean => /^on$/i.test(argOf(directive))
