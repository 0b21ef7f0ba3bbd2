// SPDX-License-Identifier: MIT
// Who may have what: url.access-deny for paths, suffixes and clients, and passwords.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { PASSWORD_HASHES } from '../sayings.ts'
import { isAbsolutePath } from '../values.ts'
import {
  directivesOf,
  entriesOf,
  type Placed,
  pairsOf,
  type Settings,
  textOf,
  textsOf,
} from './settings.ts'
import { isList, type Value } from './values.ts'

export const UNSAYABLE =
  'Within a condition on the path only the whole of it can be said here, by the empty text "". Write the paths into the rule by hand.'

const isSuffix = (text: string) => text !== '' && text.length < 200 && !/[*?/]|\p{Cc}/u.test(text)

export function accessOf(settings: Settings, findings: Findings): { access: Rule[]; auth: Rule[] } {
  const { auth, closed } = authOf(settings, findings)
  const named = settings.of('url.access-deny')
  const excluded = settings.of('static-file.exclude-extensions')
  const everywhere = [
    ...(named ? suffixRules(named, findings) : []),
    ...(excluded ? suffixRules(excluded, findings) : []),
  ]
  findings.different(
    directivesOf(excluded),
    'forbidden',
    'It is answered with 403 whether there is such a file or not.',
  )
  const placed = settings.all('url.access-deny').filter(({ where }) => where.paths || where.clients)
  const outer = placed.filter(({ where }) => where.clients?.isNot)
  const plain = placed.filter((one) => !outer.includes(one))
  const own = plain.flatMap((one) => placedRules(one, findings))
  // Who is let in by one must not get past another.
  const apart = (outer.length > MOST_APART ? [] : outer).filter((one) =>
    outer.every((other) => other === one || areApart(one, other)),
  )
  const shut = outer.filter((one) => !apart.includes(one)).map((one) => shutRule(one, findings))
  const inner = apart.flatMap((one) => placedRules(one, findings))
  return { access: [...closed, ...everywhere, ...own, ...shut, ...inner], auth }
}

function suffixRules(setting: Placed, findings: Findings): Rule[] {
  const texts = textsOf(setting)
  findings.taken(...setting.directives)
  if (texts.includes('')) return [{ action: 'deny' }]
  const good = texts.filter(isSuffix).map((one) => `*${one}`)
  if (good.length < texts.length)
    findings.unsupported(setting.directives, 'suffix', 'It is no end of a file’s name.')
  // A rule has 64 patterns at most.
  const count = Math.ceil(good.length / 64)
  return Array.from({ length: count }, (_, i) => ({
    ...{ action: 'deny', paths: good.slice(i * 64, (i + 1) * 64) },
  }))
}

function placedRules(setting: Placed, findings: Findings): Rule[] {
  const { where, directives } = setting
  const texts = textsOf(setting)
  const rest = where.paths ? { paths: [...where.paths] } : {}
  if (!texts.includes('')) {
    // Without an entry it opens what is shut elsewhere, which a rule of the node would do for all of it.
    findings.unsupported(directives, 'location', UNSAYABLE)
    return []
  }
  findings.taken(...directives)
  if (!where.clients) return [{ action: 'deny', ...rest }]
  const { address, isNot } = where.clients
  if (!isNot) return [{ action: 'deny', addresses: [address], ...rest }]
  return [
    { action: 'allow', addresses: [address], ...rest },
    { action: 'deny', ...rest },
  ]
}

const MOST_APART = 64
const PREFIX = /^(\/[^*?]*)\*\*$/
function areApart({ where: a }: Placed, { where: b }: Placed): boolean {
  const [one, other] = [a, b].map(({ paths }) => paths?.map((path) => PREFIX.exec(path)?.[1] ?? ''))
  return [...(one ?? [''])].every((x) =>
    [...(other ?? [''])].every((y) => !x.startsWith(y) && !y.startsWith(x)),
  )
}

function shutRule({ where, directives }: Placed, findings: Findings): Rule {
  const text =
    'Two conditions on clients may hold for one path here, which a node’s rules of access can’t say of each other. Until you write them by hand the draft shuts these paths to all.'
  findings.unsupported(directives, 'clients', text)
  return { action: 'deny', ...(where.paths && { paths: [...where.paths] }) }
}

type SignIns = { auth: Rule[]; closed: Rule[] }

function authOf(settings: Settings, findings: Findings): SignIns {
  const base = settings.of('auth.require')
  const all = [...settings.byPath('auth.require'), ...(base ? [{ ...base, paths: null }] : [])]
  const backend = settings.of('auth.backend')
  const users = settings.of('auth.backend.htpasswd.userfile')
  const file = textOf(users)
  const isFile = textOf(backend) === 'htpasswd' && isAbsolutePath(file)
  if (all.length === 0 || isFile) findings.taken(...directivesOf(backend, users))
  else
    findings.unsupported(
      directivesOf(backend, users),
      'auth',
      'A node asks for passwords by Basic with a file as htpasswd makes it: use auth.backend "htpasswd" with an absolute path.',
    )
  const [auth, closed]: [Rule[], Rule[]] = [[], []]
  for (const { value, directives, paths } of all) {
    for (const { key, value: one } of entriesOf(value)) {
      const prefix = key ?? ''
      const where = paths ? [...paths] : prefix === '' || prefix === '/' ? [] : [`${prefix}**`]
      const isSaid = !/[*?]|\p{Cc}/u.test(prefix) && (paths === null || prefix === '')
      const rule = isFile && isSaid ? ruleOf(one) : null
      const rest = where.length > 0 && isSaid ? { paths: where } : {}
      if (rule) {
        findings.different(directives, 'password-hashes', PASSWORD_HASHES)
        auth.push({ ...rest, ...rule, file })
      } else {
        closed.push({ action: 'deny', ...rest })
        const text =
          'It needs "basic", "valid-user" or "user=…", and auth.backend "htpasswd". Until then the draft shuts these paths to all: take its rule of access out when there is one for passwords.'
        findings.unsupported(directives, 'auth', text)
      }
    }
    if (entriesOf(value).length === 0) findings.taken(...directives)
  }
  return { auth, closed }
}

function ruleOf(value: Value): Rule | null {
  if (!isList(value)) return null
  const fields = new Map(pairsOf({ value, directives: [] }))
  const realm = fields.get('realm') || 'Sign in'
  const who = (fields.get('require') ?? '').split('|').filter((one) => one !== '')
  const names = who.flatMap((one) => /^user=([^:\s]{1,64})$/.exec(one)?.[1] ?? [])
  const isAnyone = who.includes('valid-user')
  if (fields.get('method') !== 'basic' || !/^[ !#-[\]-~]{1,128}$/.test(realm)) return null
  if (!isAnyone && (names.length === 0 || names.length < who.length)) return null
  return { realm, ...(!isAnyone && { users: names.slice(0, 1024) }) }
}
