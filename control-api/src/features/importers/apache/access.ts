// SPDX-License-Identifier: MIT
// Who may have what, place by place. The last layer that says who counts in Apache; of a node's rules the first.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { PASSWORD_HASHES } from '../sayings.ts'
import { argsOf, type Directive, everyDirective } from '../tree.ts'
import { isAbsolutePath } from '../values.ts'
import { argOf, type Layer, type Layers } from './layers.ts'
import { keyOf } from './parser.ts'
import {
  DENIED,
  GRANTED,
  olderRequirement,
  type Requirement,
  requirementOf,
} from './requirements.ts'

type Place = {
  layer: Layer
  requirement: Requirement
  directives: readonly Directive[]
  /** It says nothing of passwords, and so does not lift them. */
  isOlder: boolean
}
type SignIn = { realm: string; file: string; users: readonly string[] | 'all'; isAny: boolean }

/** More than the rules of a site, so that one with too many of them is seen to have too many. */
const MOST_PLACES = 300
const MOST_ADDRESSES = 1024
const MERGED =
  'A node has no rules that are added to those around them. Until they are written by hand the draft shuts these paths to all.'
const NEW = new Set(['require', 'requireall', 'requireany', 'requirenone'])
const OLD = new Set(['order', 'allow', 'deny'])

export function accessOf(layers: Layers, findings: Findings): { access: Rule[]; auth: Rule[] } {
  const places = combined(placesOf(layers, findings), findings).slice(-MOST_PLACES)
  const access: Rule[] = []
  const auth: Rule[] = []
  let around: SignIn | null = null
  for (const { layer, requirement, directives, isOlder } of places) {
    const { layer: rules, signIn } = rulesOf(layer, requirement, { layers, findings, directives })
    const paths = layer.paths ? { paths: [...layer.paths] } : {}
    access.unshift(...rules)
    if (signIn) {
      around = signIn
      const { realm, file, users, isAny } = signIn
      auth.unshift({
        ...{ ...paths, realm, file },
        ...(users !== 'all' && { users: users.slice(0, 1024) }),
        ...(isAny && { satisfy: 'any' }),
      })
    } else if (around && !isOlder && requirement.entries[0]?.action === 'allow') {
      // Nobody is asked here, though around it they are: one of both is enough, and the address is allowed.
      const { realm, file } = around
      const isOpen = requirement.entries[0].addresses === null
      if (isOpen) auth.unshift({ ...paths, realm, file, satisfy: 'any' })
      else {
        const text = 'Who is let in here by address has to sign in, too, as around it.'
        findings.different(directives, 'both-needed', text)
      }
    }
  }
  return { access: [...programRules(layers, findings), ...withoutLastAllow(access)], auth }
}

/** Where no rule fits, access is allowed. */
function withoutLastAllow(rules: readonly Rule[]): Rule[] {
  const last = rules.at(-1)
  const isIdle = last?.action === 'allow' && !last.addresses && !last.paths
  return isIdle ? rules.slice(0, -1) : [...rules]
}

type Both = { newer: Place[]; older: Place[] }

function placesOf(layers: Layers, findings: Findings): Both {
  const placed = (
    keys: ReadonlySet<string>,
    of: (list: Directive[], layer: Layer) => Requirement,
  ) =>
    layers.list.flatMap((layer): Place[] => {
      const directives = layer.directives.filter((one) => keys.has(keyOf(one)))
      return directives.length === 0
        ? []
        : [{ layer, directives, requirement: of(directives, layer), isOlder: keys === OLD }]
    })
  return {
    newer: needed(
      placed(NEW, (list, layer) => {
        const merging = layers.lastFor('authmerging', layer)
        if (!/^(and|or)$/i.test(argOf(merging))) return requirementOf(list, findings)
        const every = [...everyDirective(list)]
        findings.unsupported(merging ? [merging, ...every] : every, 'clients', MERGED)
        return DENIED
      }),
    ),
    older: needed(
      placed(OLD, (list, layer) => {
        const satisfy = layers.lastFor('satisfy', layer)
        if (satisfy) findings.taken(satisfy)
        return olderRequirement(list, /^any$/i.test(argOf(satisfy)), findings)
      }),
    ),
  }
}

/** What is said for all takes the place of all before it; what lets everybody in needs no rule where nobody is kept out. */
function needed(places: readonly Place[]): Place[] {
  const kept: Place[] = []
  for (const place of places) {
    if (place.layer.paths === null) kept.length = 0
    // So does what is said again for the same paths.
    const last = kept.at(-1)?.layer.paths
    if (last && last.join(' ') === place.layer.paths?.join(' ')) kept.pop()
    if (kept.length === 0 && place.requirement === GRANTED) continue
    const { entries, users } = place.requirement
    const isIdle = entries[0]?.action === 'allow' && entries[0].addresses === null && users === null
    if (kept.length > 0 || !isIdle) kept.push(place)
  }
  return kept
}

/** Both kinds have to be passed. Where each of them keeps somebody out the draft keeps out whom either might. */
function combined({ newer, older }: Both, findings: Findings): Place[] {
  if (newer.length === 0) return older
  if (older.length === 0) return newer
  const isPlain = newer.every(
    ({ requirement: { entries } }) =>
      entries[0]?.addresses === null && entries[0].action === 'allow',
  )
  const text =
    'Require stands beside Order, Allow and Deny, and both have to be passed. The draft shuts what these may shut: write its rules by hand.'
  for (const { directives } of older) findings.different(directives, 'clients', text)
  if (isPlain) return [...newer.map((one) => withSatisfy(one, older)), ...older]
  const shutting = older.filter(({ requirement }) => requirement.entries.some(isRefusal))
  return [...newer, ...shutting.map((one) => ({ ...one, requirement: DENIED }))]
}

/** `Satisfy Any` beside both: the address or the password. */
function withSatisfy(place: Place, older: readonly Place[]): Place {
  const isAny = older.some(({ layer, requirement }) => layer === place.layer && requirement.isAny)
  return isAny ? { ...place, requirement: { ...place.requirement, isAny } } : place
}

const isRefusal = ({ action }: Requirement['entries'][number]) => action === 'deny'

const OTHER_FILE =
  'In a part of these paths another AuthUserFile counts, and what is required is said for all of them. Say in the draft which file counts where; until then it shuts these paths to all.'
const hasOwn = ({ directives }: Layer) =>
  directives.some((one) => NEW.has(keyOf(one)) || OLD.has(keyOf(one)))

type Context = { layers: Layers; findings: Findings; directives: readonly Directive[] }

function rulesOf(
  layer: Layer,
  { entries, users, isAny }: Requirement,
  { layers, findings, directives }: Context,
): { layer: Rule[]; signIn: SignIn | null } {
  const paths = layer.paths ? { paths: [...layer.paths] } : {}
  const rules = entries.flatMap(({ action, addresses }): Rule[] =>
    addresses
      ? inParts(addresses, MOST_ADDRESSES).map((part) => ({ action, ...paths, addresses: part }))
      : [{ action, ...paths }],
  )
  if (users === null) return { layer: rules, signIn: null }
  const [type, name, file, provider] = [
    'authtype',
    'authname',
    'authuserfile',
    'authbasicprovider',
  ].map((key) => layers.lastFor(key, layer)) as [
    Directive | null,
    Directive | null,
    Directive | null,
    Directive | null,
  ]
  const said = [type, name, file, provider].filter((one) => one !== null)
  const realm = argOf(name) || 'Sign in'
  const others = layers
    .within('authuserfile', layer)
    .filter(({ directive, layer: other }) => !hasOwn(other) && argOf(directive) !== argOf(file))
  if (others.length > 0) {
    const all = [...said, ...others.map(({ directive }) => directive), ...directives]
    findings.unsupported(all, 'auth', OTHER_FILE)
    return { layer: [{ action: 'deny', ...paths }], signIn: null }
  }
  const isBasic = /^basic$/i.test(argOf(type)) && /^(file)?$/i.test(argOf(provider))
  if (isBasic && isAbsolutePath(argOf(file)) && /^[ !#-[\]-~]{1,128}$/.test(realm)) {
    findings.different([...said, ...directives], 'password-hashes', PASSWORD_HASHES)
    return { layer: rules, signIn: { realm, file: argOf(file), users, isAny } }
  }
  const text =
    'A node asks for passwords by Basic, with an AuthUserFile by its absolute path and a realm in plain letters. Until then the draft shuts these paths to all.'
  findings.unsupported([...said, ...directives], 'auth', text)
  return { layer: [{ action: 'deny', ...paths }], signIn: null }
}

const NO_PROGRAMS =
  'Nothing is run by a node, and the sources of programs are no files for visitors: the draft refuses them (403). Keep a host that needs them where it is.'

/** Files that the server as a whole hands to a program. */
function programRules(layers: Layers, findings: Findings): Rule[] {
  const placed = layers
    .all('sethandler', 'addhandler', 'addtype')
    .flatMap(({ directive, layer }) => {
      const [name = '', ...suffixes] = argsOf(directive)
      const isProgram = /php|^"?proxy:|^cgi-script$|^fcgid-script$|^wsgi-script$/i.test(name)
      if (!isProgram) return []
      findings.unsupported([directive], 'application', NO_PROGRAMS)
      if (keyOf(directive) === 'sethandler') return layer.paths ? [...layer.paths] : []
      return suffixes
        .map((one) => one.replace(/^\./, ''))
        .filter((one) => /^[\w-]{1,32}$/.test(one))
        .flatMap((one) => [`*.${one}`, `*.${one}.*`])
    })
  return inParts([...new Set(placed)], 64).map((paths) => ({ action: 'deny', paths }))
}

export const inParts = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  )
