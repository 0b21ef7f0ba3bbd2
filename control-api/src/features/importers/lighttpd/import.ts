// SPDX-License-Identifier: MIT
// A config of lighttpd as a draft for nodes, and what became of each of its lines.
import {
  ANY_ROOT,
  leaveOutAll,
  listenList,
  MOST_HOSTS,
  MOST_SITES,
  sayOfEverySite,
} from '../every-site.ts'
import { Findings } from '../findings.ts'
import { type Imported, importedOf } from '../imported.ts'
import { MISSING_FILE, NO_CERTIFICATE, UNKNOWN_HOST } from '../sayings.ts'
import { argsOf, everyDirective, type Source, Unreadable } from '../tree.ts'
import { isAbsolutePath } from '../values.ts'
import { isToHttps } from './moves.ts'
import { type Listen, mainListen, nodeMembers, OWN_TYPES, socketListen } from './node.ts'
import { type LighttpdTree, parseLighttpd, type Setting, settingOf } from './parser.ts'
import { holdsFor, placesOf, type Where } from './places.ts'
import { APPLICATIONS, BY_PATH, NEWER_NAMES, NODE_WIDE, SITE_WIDE, saidOf } from './said.ts'
import { directivesOf, isOn, Settings, textOf } from './settings.ts'
import { siteOf } from './site.ts'
import { isKnown, isList, type Value } from './values.ts'

/** Blocks of all sites together: no text keeps the service busy for long. */
const MOST_PLACED = 20_000

export function importLighttpd(mainFiles: readonly string[], source: Source): Imported {
  const tree = parseLighttpd(mainFiles, source)
  const whose = { language: 'lighttpd' as const, mainFiles }
  const findings = new Findings()
  const { directives, blocks } = tree
  const hasTypesFromShell = sayIncludes(tree, findings)
  const all = placesOf(blocks, findings)
  const programs = all.filter(isForProgram)
  const places = all.filter(({ isUnderstood }) => isUnderstood)
  const sites = sitesOf(places, findings)
  const kept = sites.filter(({ name }) => !programs.some((one) => holdsFor(one, name)))
  const used = new Set(kept.flatMap((site) => site.places))
  if (kept.length === 0) {
    leaveOutAll(directives, findings)
    return importedOf(whose, null, findings.list(directives))
  }
  for (const where of new Set(sites.flatMap((site) => site.places)))
    if (!used.has(where)) leaveOutAll(where.block.directives, findings)
  for (const where of used) saySettings(where, findings)
  if (!kept.some(({ name }) => name === '*')) {
    const first = directives.slice(0, 1)
    findings.different(first, 'unknown-host', UNKNOWN_HOST)
  }
  const global = new Settings(places.filter(({ block }) => block.parent === null))
  const listens = listensOf(global, places, findings)
  const hasCertificate = [...used].some(({ block }) => hasPair(block.settings))
  const open = withoutTls(listens, hasCertificate, findings)
  const hasTls = open.some(({ isTls }) => isTls)
  const anyRoot = anyRootOf(places)
  const drafts = kept.map(({ hosts, places: own }) =>
    siteOf({ ...{ findings, hosts, places: own, anyRoot, hasTls } }),
  )
  sayOfAll(tree, findings)
  const draft = {
    listen: listenList(open.map(({ rule }) => rule)),
    ...nodeMembers(global, hasTypesFromShell, findings),
    sites: drafts.filter(({ hosts }) => hosts.length > 0),
  }
  return importedOf(whose, draft, findings.list(directives))
}

function hasPair(settings: ReadonlyMap<string, Setting>): boolean {
  const [chain, key] = ['ssl.pemfile', 'ssl.privkey'].map((name) => settings.get(name) ?? null)
  return isAbsolutePath(textOf(chain ?? null)) && (!key || isAbsolutePath(textOf(key)))
}

/** Says of includes what became of them; whether one prints lighttpd's list of media types. */
function sayIncludes({ directives, missing }: LighttpdTree, findings: Findings): boolean {
  let hasTypes = false
  for (const directive of everyDirective(directives)) {
    const [pattern = ''] = argsOf(directive)
    if (directive.name === 'include_shell') {
      const isTypes = pattern.includes('create-mime')
      hasTypes ||= isTypes
      if (isTypes) findings.unsupported([directive], 'own-types', OWN_TYPES)
      else {
        const text =
          'No shell is run. What it prints can be put into a file that is included; for IPv6 add an address such as "::" to listen.'
        findings.unsupported([directive], 'shell', text)
      }
    } else if (missing.includes(directive)) {
      findings.unsupported([directive], 'missing-file', MISSING_FILE)
    } else if (directive.name === 'include') findings.taken(directive)
  }
  return hasTypes
}

const isForProgram = ({ block }: Where): boolean =>
  [...block.settings].some(([name, { value }]) => APPLICATIONS.has(name) && !isEmpty(value))
const isEmpty = (value: Value) => (isList(value) ? value.entries.length === 0 : value === '')

type SitePlaces = { name: string; hosts: string[]; places: Where[] }

/** Hosts for which the same blocks hold are one site. "*" is who is left. */
function sitesOf(places: readonly Where[], findings: Findings): SitePlaces[] {
  const all = new Set(places.flatMap(({ hosts }) => hosts.flatMap((one) => [...one.names])))
  const names = new Set([...[...all].slice(0, MOST_SITES - 1), '*'])
  const sites = new Map<string, SitePlaces>()
  let count = 0
  for (const name of names) {
    const own = places.flatMap((where, i) => (holdsFor(where, name) ? [{ where, i }] : []))
    const key = own.map(({ i }) => i).join(' ')
    const had = sites.get(key)
    if (had && had.hosts.length < MOST_HOSTS) {
      had.hosts.push(name)
      continue
    }
    count += own.length
    const first = places[0]?.block.settings.values().next().value?.directives[0]
    if (count > MOST_PLACED)
      throw new Unreadable(
        first ?? { file: 'config', line: 1, column: 1 },
        `the conditions come to more than ${MOST_PLACED} blocks of all hosts together`,
      )
    sites.set(had ? `${key} ${name}` : key, {
      ...{ name, hosts: [name], places: own.map(({ where }) => where) },
    })
  }
  for (const { hosts, block } of places) {
    if (!hosts.some((one) => [...one.names].some((name) => !names.has(name)))) continue
    const text = `A config has at most ${MOST_SITES} sites: some of these names are left out.`
    findings.different(block.directives, 'too-many', text)
  }
  return [...sites.values()]
}

function saySettings(where: Where, findings: Findings): void {
  const { block, paths, clients, socket, hosts } = where
  const isConditional = block.parent !== null
  if (socket !== null && hosts.length > 0) {
    const text = 'A site answers alike at all addresses: what is said at this one holds at all.'
    findings.different(block.directives, 'all-addresses', text)
  }
  for (const [name, setting] of block.settings) {
    const { directives, value } = setting
    const key = NEWER_NAMES.get(name) ?? name
    const drop = (code: string, text: string) => {
      findings.unsupported(directives, code, text)
      block.settings.delete(name)
    }
    const said = saidOf(key)
    if (!isKnown(value)) drop('variable', UNKNOWN_VALUE)
    else if (name.startsWith('var.')) findings.taken(...directives)
    else if (APPLICATIONS.has(key)) findings.taken(...directives)
    else if (said?.verdict === 'taken') findings.taken(...directives)
    else if (said?.verdict === 'different') findings.different(directives, said.code, said.text)
    else if (said) findings.unsupported(directives, said.code, said.text)
    else if (NODE_WIDE.has(key)) {
      if (isConditional)
        drop('node-wide', 'This holds for the whole node: say it outside of all conditions.')
    } else if (!SITE_WIDE.has(key) && !BY_PATH.has(key)) drop('unknown', UNKNOWN)
    else if (socket !== null && hosts.length === 0 && !isOfAddress(key, setting))
      drop('other-port', 'A site answers alike at all addresses: say it outside of the condition.')
    else if (clients && key !== 'url.access-deny')
      drop('clients', 'By clients’ addresses a node only lets in or refuses: sites[].access.')
    else if (paths && !BY_PATH.has(key)) drop('site-wide', SITE_FOR_ALL)
  }
}

const isOfAddress = (key: string, setting: Setting) =>
  key.startsWith('ssl.') || (key === 'url.redirect' && isToHttps(setting))
const UNKNOWN_VALUE =
  'What it stands for is not in the files: a variable of the environment, or of a file that was not given. Write it out.'
const UNKNOWN =
  'The importer does not know this setting. Look up in the configuration’s list what it may become.'
const SITE_FOR_ALL =
  'This is of a whole site here, not of some of its paths. Say it for the site, or make it a site of its own.'

function listensOf(global: Settings, places: readonly Where[], findings: Findings): Listen[] {
  const main = mainListen(global, findings)
  const isTls = isOn(global.of('ssl.engine'))
  const others = places.flatMap(({ block, socket }) => {
    if (socket === null || block.condition?.field !== 'server.socket') return []
    const own = block.settings.get('ssl.engine') ?? null
    findings.taken(...directivesOf(own))
    const about = { directives: [...block.directives], findings }
    return socketListen(socket, { ...about, isTls: own ? isOn(own) : isTls })
  })
  return [...main, ...others]
}

/** Those with TLS only where a site has a certificate to show. */
function withoutTls(listens: readonly Listen[], hasCertificate: boolean, findings: Findings) {
  return listens.filter(({ isTls, directives }) => {
    if (!isTls || hasCertificate) return true
    findings.unsupported(directives, 'no-certificate', NO_CERTIFICATE)
    return false
  })
}

function anyRootOf(places: readonly Where[]): string {
  const roots = places.map(({ block }) => textOf(rootIn(block.settings)).replace(/(?<=.)\/+$/, ''))
  return roots.find((root) => isAbsolutePath(root) && !/[{}]/.test(root)) ?? ANY_ROOT
}
const rootIn = (settings: ReadonlyMap<string, Setting>) =>
  settings.get('server.document-root') ?? null

const PATH_INFO =
  'A file’s path with more behind it ("/index.html/x") is 404; lighttpd sends the file.'

const RANGES =
  'A part of an empty file is answered with 416, and the list of a folder is always sent whole.'

/** What differs everywhere stands where the root is named, or at the first line. */
function sayOfAll({ directives, blocks }: LighttpdTree, findings: Findings): void {
  const [global] = blocks
  const root = global ? settingOf(global, 'server.document-root') : null
  const at = root?.directives ?? directives.slice(0, 1)
  sayOfEverySite(at, findings)
  findings.different(at, 'path-info', PATH_INFO)
  findings.different(at, 'ranges', RANGES)
}
