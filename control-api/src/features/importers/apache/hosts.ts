// SPDX-License-Identifier: MIT
// Apache's hosts: where they listen, their names and folders, and which of them pass requests on to programs.
import type { Findings } from '../findings.ts'
import { normal } from '../paths.ts'
import { HOST_LEFT_OUT } from '../sayings.ts'
import { argsOf, type Directive, everyDirective } from '../tree.ts'
import { isAbsolutePath, isHost } from '../values.ts'
import {
  type Alias,
  argOf,
  covers,
  type FolderFile,
  isOn,
  type Layers,
  layersOf,
} from './layers.ts'
import { keyOf } from './parser.ts'
import { passesOn } from './said.ts'
import type { Body } from './sections.ts'

export type Address = { address: string; port: number }
export type Host = {
  /** null: the server as a whole. */
  directive: Directive | null
  body: Body
  /** With those around it, the outermost first. */
  bodies: readonly Body[]
  addresses: readonly Address[]
  names: string[]
  isTls: boolean
  root: string
  aliases: readonly Alias[]
  files: readonly FolderFile[]
  layers: Layers
}
export type Whole = {
  main: Body
  files: readonly FolderFile[]
  findings: Findings
  anyRoot: string
}

const ALL = '0.0.0.0'

export function hostsOf(whole: Whole): Host[] {
  const { main, findings } = whole
  if (main.hosts.length === 0) return [hostOf(null, main, [main], whole)]
  return main.hosts.map(({ directive, body }) => {
    findings.taken(directive)
    return hostOf(directive, body, [main, body], whole)
  })
}

/** Said by the host, else by the server. */
export const ownOf = ({ bodies }: Pick<Host, 'bodies'>, key: string): Directive | null => {
  for (const { own } of bodies.toReversed()) {
    const found = own.findLast((one) => keyOf(one) === key)
    if (found) return found
  }
  return null
}

function hostOf(
  directive: Directive | null,
  body: Body,
  bodies: readonly Body[],
  whole: Whole,
): Host {
  const { findings } = whole
  const addresses = directive ? argsOf(directive).flatMap((one) => addressOf(one) ?? []) : []
  if (directive && addresses.length < argsOf(directive).length) {
    const text = 'A node listens on numeric addresses; what it says of others is left out.'
    findings.different([directive], 'listen', text)
  }
  const root = rootOf({ bodies }, whole)
  const aliases = aliasesOf(bodies, findings)
  const files = whole.files.filter(({ folder }) =>
    [root, ...aliases.map((one) => one.folder)].some(
      (served) => folder === served || covers(served, folder),
    ),
  )
  const layers = layersOf(bodies, [], { root, aliases, findings })
  const read = files.filter((file) => isRead(file, bodies))
  return {
    ...{ directive, body, bodies, addresses, root, aliases, files: read },
    names: namesOf(body, findings),
    isTls: isOn(ownOf({ bodies }, 'sslengine')),
    layers: read.length === 0 ? layers : layersOf(bodies, read, { root, aliases, findings }),
  }
}

/** Whether Apache looks at a folder's .htaccess. */
function isRead({ folder }: FolderFile, bodies: readonly Body[]): boolean {
  const sections = bodies
    .flatMap(({ folders }) => folders)
    .filter(({ text, isRegex }) => !isRegex && covers(text, folder))
    .sort((a, b) => a.text.length - b.text.length)
  const said = sections.flatMap(({ body }) =>
    body.own.filter((one) => /^allowoverride(list)?$/.test(keyOf(one))),
  )
  const isAlone = bodies.every(({ own }) => own.length === 0)
  return said.length === 0 ? isAlone : !/^none$/i.test(argOf(said.at(-1) ?? null))
}

/** "*:80", "_default_:443", "192.0.2.1", "[::1]:80". */
export function addressOf(text: string): Address | null {
  const found = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}|\*))?$/i.exec(text)
  const name = found?.[1] ?? found?.[2] ?? ''
  const port = found?.[3] === '*' || !found?.[3] ? 0 : Number(found[3])
  if (!found || port > 65_535) return null
  if (name === '*' || name === '_default_') return { address: ALL, port }
  return /^[\d.]+$|:/.test(name) ? { address: name, port } : null
}

function namesOf({ own }: Body, findings: Findings): string[] {
  const said = own.filter((one) => /^server(name|alias)$/.test(keyOf(one)))
  const last = said.findLast((one) => keyOf(one) === 'servername')
  return said.flatMap((directive) => {
    if (keyOf(directive) === 'servername' && directive !== last) return []
    findings.taken(directive)
    return argsOf(directive).flatMap((word) => {
      const name = word
        .toLowerCase()
        .replace(/^https?:\/\//, '')
        .replace(/:\d+$/, '')
      if (isHost(name)) return [name]
      const text = `A site's names are whole ones and "*.example.org": "${word.slice(0, 80)}" is left out.`
      findings.different([directive], 'host-name', text)
      return []
    })
  })
}

function rootOf(host: Pick<Host, 'bodies'>, { findings, anyRoot }: Whole): string {
  const pattern = ownOf(host, 'virtualdocumentroot')
  const plain = ownOf(host, 'documentroot')
  const directive = pattern ?? plain
  if (!directive) return anyRoot
  const named = pattern ? hostFolder(argOf(pattern)) : argOf(plain)
  const root = normal(named) || '/'
  const isGood = isAbsolutePath(root) && !/[%{}$]/.test(root.replaceAll(/\{host\d?\}/g, ''))
  if (!isGood) {
    const text =
      'A root is an absolute path; in it {host} and {host1} to {host9} stand for the name.'
    findings.unsupported([directive], 'root', text)
    return anyRoot
  }
  if (pattern) {
    const text = 'A host without a folder of its own is 404.'
    findings.different([pattern], 'no-fallback', text)
  } else findings.taken(directive)
  return root
}

const hostFolder = (text: string) =>
  text
    .replaceAll('%%', '\0')
    .replaceAll('%0', '{host}')
    .replaceAll(/%-([1-9])(?!\+)/g, '{host$1}')

function aliasesOf(bodies: readonly Body[], findings: Findings): Alias[] {
  const seen = new Set<string>()
  return bodies.toReversed().flatMap(({ own }) =>
    own.flatMap((directive) => {
      const [from = '', to = ''] = argsOf(directive)
      if (keyOf(directive) !== 'alias') return []
      const path = from.endsWith('/') ? from : `${from}/`
      const folder = normal(to)
      const isPath = /^(\/(?!\.{1,2}(\/|$))[^/\p{Cc}]+)+\/$/u.test(path)
      const isFile = /\.\w{1,8}$/.test(from) && /\.\w{1,8}$/.test(to)
      if (!isPath || isFile || !isAbsolutePath(to) || from.endsWith('/') !== to.endsWith('/')) {
        const text =
          'An alias is a folder for paths that begin alike, and ends with "/" on both sides or on none. Copy a single file into the root, or link it there.'
        findings.unsupported([directive], 'folder', text)
        return []
      }
      if (seen.has(path)) return []
      seen.add(path)
      return [{ directive, path, folder }]
    }),
  )
}

const PROGRAM_FILE = /\.(php\d?|phtml|cgi|fcgi|pl|py|rb|jsp|aspx?)$/i
const isProgramHandler = (name: string) =>
  /^"?proxy:|php|cgi|fcgid|wsgi|perl|python|lua|mod_|jakarta|uwsgi/i.test(name)

const HANDLERS = /^(sethandler|addhandler|addtype)$/

export function isProgramDirective(directive: Directive): boolean {
  const key = keyOf(directive)
  const words = argsOf(directive)
  if (key === 'proxypass' || key === 'proxypassmatch')
    return words.at(-1) !== '!' && words[1] !== '!'
  if (passesOn(key)) return true
  if (key === 'dav') return isOn(directive)
  if (key === 'sethandler' || key === 'addhandler') return isProgramHandler(words[0] ?? '')
  if (key === 'addtype') return /^application\/x-httpd-php/i.test(words[0] ?? '')
  if (key === 'fallbackresource') return PROGRAM_FILE.test((words[0] ?? '').replace(/\?.*$/s, ''))
  if (key === 'rewriterule') {
    const flags = (words[2] ?? '').replaceAll(/[[\]]/g, '').split(',')
    const isProxy = flags.some((flag) => /^(p|proxy)$/i.test(flag.trim()))
    const path = (words[1] ?? '').replace(/\?.*$/s, '')
    const isInner = !flags.some((flag) => /^(r|redirect)(=3\d\d)?$/i.test(flag.trim()))
    return isProxy || (isInner && PROGRAM_FILE.test(path))
  }
  return false
}

/** What the server as a whole says of handlers is no host's own: their files are refused, and the host stays. */
export function isProgram(host: Host, main: Body, off: ReadonlySet<Directive>): boolean {
  const { directive, files } = host
  const own = directive?.block ? [...liveOf(directive.block, off)] : []
  const shared = main.own.filter((one) => !HANDLERS.test(keyOf(one)) && !isScripts(one))
  const inFiles = files.flatMap((one) => allOf(one.body))
  return [...own, ...shared, ...inFiles].some(isProgramDirective)
}

/** A folder of programs beside the sites' own. */
const isScripts = (directive: Directive) => /^scriptalias/.test(keyOf(directive))

export function* liveOf(
  directives: readonly Directive[],
  off: ReadonlySet<Directive>,
): Generator<Directive> {
  for (const directive of directives) {
    if (off.has(directive)) continue
    yield directive
    if (directive.block) yield* liveOf(directive.block, off)
  }
}

/** Those in a body's sections, too. */
export const allOf = ({ own, folders, files, locations }: Body): Directive[] => [
  ...own,
  ...[...folders, ...files, ...locations].flatMap(({ directive, body }) => [
    directive,
    ...allOf(body),
  ]),
]

export function leaveOut({ directive, body, files }: Host, findings: Findings): void {
  const inFiles = files.flatMap((one) => allOf(one.body))
  const all = directive ? [...everyDirective([directive])] : allOf(body)
  findings.unsupported([...all, ...inFiles], HOST_LEFT_OUT.code, HOST_LEFT_OUT.text)
}
