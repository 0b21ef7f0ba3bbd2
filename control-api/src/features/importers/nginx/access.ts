// SPDX-License-Identifier: MIT
// Who gets a path: by address, by password, and by what a location answers everybody.
import type { Rule, Value } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { PASSWORD_HASHES } from '../sayings.ts'
import { argsOf, type Directive } from '../tree.ts'
import { isAbsolutePath, isAddress } from '../values.ts'
import { UNSAYABLE } from './headers.ts'
import { firstThatFits, pathsOf } from './rules.ts'
import type { Location, Scope } from './scope.ts'
import type { SiteContext } from './site-context.ts'

type Entry = { action: 'allow' | 'deny'; address: string | null }
type Access = { entries: Entry[]; isAny: boolean; realm: string | null; file: string }

export function accessAndAuth(context: SiteContext): Rule {
  const { findings, locations } = context
  const of = (scope: Scope, location: Location | null) => accessOf(context, scope, location)
  const unsayable = ({ scope, directive }: Location) => {
    const own = ['access', 'auth_basic', 'auth_basic_user_file', 'satisfy'].flatMap((key) =>
      scope.own(key),
    )
    findings.unsupported([directive, ...own, ...scope.steps], 'location', UNSAYABLE)
  }
  const signIns = firstThatFits(locations, {
    of,
    key: ({ realm, file }) => (realm === null ? '' : `${file} ${realm}`),
    unsayable,
  })
  // Where nobody is asked for a password, though around it they are: every address is allowed, and one of both is enough.
  const open = new Set(
    signIns.flatMap(({ location, value }) => (value.realm === null ? [location] : [])),
  )
  const access = firstThatFits(locations, {
    of: (scope, location): Entry[] => {
      const { entries } = of(scope, location)
      return entries.length === 0 && open.has(location)
        ? [{ action: 'allow', address: null }]
        : entries
    },
    key: (entries) => (entries.length === 0 ? '' : JSON.stringify(entries)),
    unsayable,
  })
  const around = signIns.find(({ value }) => value.realm !== null)?.value
  const auth = signIns.map(({ paths, value }) => {
    const { realm, file } =
      value.realm === null ? { realm: around?.realm ?? '', file: around?.file ?? '' } : value
    return {
      ...pathsOf(paths),
      realm,
      file,
      ...((value.realm === null || value.isAny) && { satisfy: 'any' }),
    }
  })
  return { access: access.flatMap(({ paths, value }) => entryRules(paths, value)), auth }
}

function entryRules(paths: readonly string[], entries: readonly Entry[]): Rule[] {
  const rules: Rule[] = []
  for (const { action, address } of entries) {
    const last = rules.at(-1)
    const addresses = last?.addresses as Value[] | undefined
    if (address && last?.action === action && addresses) addresses.push(address)
    else rules.push({ action, ...pathsOf(paths), ...(address && { addresses: [address] }) })
  }
  const isClosed = entries.at(-1)?.address === null
  return isClosed || paths.length === 0 ? rules : [...rules, { action: 'allow', paths }]
}

const DENIED = new Set([400, 401, 402, 403, 405, 406, 418, 429, 444, 451])

function accessOf(
  { findings, steps }: SiteContext,
  scope: Scope,
  location: Location | null,
): Access {
  const [realm = 'off'] = scope.argsOf('auth_basic')
  const file = scope.argsOf('auth_basic_user_file')[0] ?? ''
  const isAny = scope.argsOf('satisfy')[0] === 'any'
  findings.taken(...scope.of('satisfy'))
  const asks =
    realm !== 'off' && isAbsolutePath(file) && !/["\\]/.test(realm) && realm.length <= 128
  const signIn = [...scope.of('auth_basic'), ...scope.of('auth_basic_user_file')]
  if (realm === 'off') findings.taken(...signIn)
  else if (asks) findings.different(signIn, 'password-hashes', PASSWORD_HASHES)
  else
    findings.unsupported(
      signIn,
      'auth',
      'It needs the absolute path of a file of users, and a plain text as realm.',
    )
  const answer = steps.answers.get(location)
  const entries = scope.of('access').flatMap((directive) => entryOf(directive, findings))
  if (answer && DENIED.has(answer.status)) {
    if (answer.status === 403) findings.taken(answer.directive)
    else
      findings.different(
        [answer.directive],
        'forbidden',
        `It is answered with 403 in place of ${answer.status}.`,
      )
    entries.splice(0, entries.length, { action: 'deny', address: null })
  }
  return { entries, isAny, realm: asks ? realm || 'Sign in' : null, file }
}

function entryOf(directive: Directive, findings: Findings): Entry[] {
  const [text = ''] = argsOf(directive)
  const action = directive.name as Entry['action']
  if (text !== 'all' && !isAddress(text)) {
    findings.unsupported([directive], 'address', 'It is no address and no block of them.')
    return []
  }
  findings.taken(directive)
  return [{ action, address: text === 'all' ? null : text }]
}
