// SPDX-License-Identifier: MIT
// Header and the times of mod_expires. Apache goes through all Header lines from the outermost layer inwards, as a node does.
import type { Rule } from '../draft.ts'
import { timeOf } from '../expires-time.ts'
import type { Findings } from '../findings.ts'
import { wordsOf } from '../regex.ts'
import { argsOf, type Directive } from '../tree.ts'
import { isMediaType, SERVERS_OWN } from '../values.ts'
import { argOf, isOn, type Layer, type Layers, type Said } from './layers.ts'

const MOST_RULES = 64
const ONCE = 'With "always" it is in all answers; without it in those that succeed and in a 304.'

export type Headers = { headers: Rule[]; expires: Rule[]; hsts: Rule | null }

export function headersOf(layers: Layers, findings: Findings): Headers {
  const lines = layers.all('header').flatMap((said) => lineOf(said, findings) ?? [])
  const hsts = hstsOf(lines, findings)
  const caching = layers.all('expiresdefault', 'expiresbytype').length > 0 && isCaching(layers)
  const beside = caching ? lines.filter(isBesideTimes) : []
  const isBeside = new Set(beside)
  const kept = lines.filter((one) => one !== hsts?.line && !isBeside.has(one))
  for (const { directive } of beside) findings.taken(directive)
  const off = isCaching(layers) ? switchedOff(layers, beside, findings) : []
  return {
    headers: [
      ...etagRules(layers, findings),
      ...off,
      ...kept.slice(0, MOST_RULES + 1).map((one) => ruleOf(one)),
      ...typeRules(layers, findings),
    ],
    expires: expiresOf(layers, beside, findings),
    hsts: hsts?.rule ?? null,
  }
}

type Line = {
  directive: Directive
  layer: Layer
  action: 'set' | 'add' | 'remove'
  name: string
  value: string
  isAlways: boolean
  types: readonly string[]
  isForTls: boolean
}

const ACTIONS: Record<string, Line['action']> = {
  ...{ set: 'set', setifempty: 'set', append: 'add', merge: 'add', add: 'add', unset: 'remove' },
}

/** null: it is in the report. */
function lineOf({ directive, layer }: Said, findings: Findings): Line | null {
  const words = argsOf(directive)
  const table = /^(always|onsuccess)$/i.exec(words[0] ?? '')?.[1]?.toLowerCase()
  const [verb = '', name = '', ...rest] = table ? words.slice(1) : words
  const action = ACTIONS[verb.toLowerCase()]
  const header = name.replace(/:$/, '')
  const refuse = (text: string) => {
    findings.unsupported([directive], 'header', text)
    return null
  }
  if (!action) return refuse('A node sets, adds and removes headers, and does not edit them.')
  if (!/^[!#$%&'*+.^_`|~\w-]{1,128}$/.test(header)) return refuse('It is no name of a header.')
  const isRemoval = action === 'remove'
  const [given = '', condition = ''] = isRemoval ? ['', ...rest] : rest
  const value = given.replaceAll(/\s+/g, ' ').trim().replaceAll('%%', '%')
  const { types, isForTls, isKnown } = conditionOf(condition)
  if (!isKnown)
    return refuse('A node has no such condition: say by `types` and `paths` where the header is.')
  if (isRemoval) {
    findings.taken(directive)
  } else {
    if (SERVERS_OWN.has(header.toLowerCase()))
      return refuse('The node decides itself about this header.')
    if (/%(?!%)/.test(given.replaceAll('%%', '')) || !/^[!-~]([ -~]*[!-~])?$/.test(value))
      return refuse('A value is printable ASCII without variables: write it out.')
    if (value.length > 4096) return refuse('A value has at most 4096 characters.')
    if (header.toLowerCase() === 'vary')
      findings.different([directive], 'vary', 'It is added to what the node says itself.')
    findings.different([directive], 'header-statuses', ONCE)
  }
  const isVary = header.toLowerCase() === 'vary'
  return {
    ...{ directive, layer, name: header, value, types, isForTls, isAlways: table === 'always' },
    action: isVary && !isRemoval ? 'add' : action,
  }
}

type Condition = { types: readonly string[]; isForTls: boolean; isKnown: boolean }

/** By media type, or for https. */
function conditionOf(text: string): Condition {
  const all = { types: [], isForTls: false, isKnown: true }
  if (text === '') return all
  if (
    /^env=https$/i.test(text) ||
    /^expr=%\{HTTPS\} *(==|-eq|=~) *['"/]?(on|\^on\$)['"/]?$/i.test(text)
  )
    return { ...all, isForTls: true }
  const expression = /^expr=%\{CONTENT_TYPE\} *=~ *(?:m?([#/|!]))(.*)\1i?$/i.exec(text)?.[2]
  const found = expression ? wordsOf(expression) : null
  const types = found?.map((word) => word.replace(/\/$/, '/*'))
  return types?.every(isMediaType) ? { ...all, types } : { ...all, isKnown: false }
}

function ruleOf({ layer, action, name, value, isAlways, types }: Line): Rule {
  return {
    ...(action !== 'set' && { action }),
    name,
    ...(value !== '' && { value }),
    ...(layer.paths && { paths: [...layer.paths] }),
    ...(types.length > 0 && { types: [...types] }),
    ...(!isAlways && action !== 'remove' && { statuses: ['2xx', '304'] }),
  }
}

/** For https alone a node has a setting of its own. */
function hstsOf(lines: readonly Line[], findings: Findings): { rule: Rule; line: Line } | null {
  const line = lines.findLast(
    ({ name, layer, action }) =>
      /^strict-transport-security$/i.test(name) && layer.paths === null && action === 'set',
  )
  const seconds = Number(/max-age=["']?(\d{1,9})/i.exec(line?.value ?? '')?.[1] ?? Number.NaN)
  if (!line || !(seconds <= 63_072_000)) {
    for (const one of lines.filter(({ isForTls }) => isForTls)) {
      const text = 'It is sent over http, too.'
      findings.different([one.directive], 'not-for-tls', text)
    }
    return null
  }
  const text = 'It is sent over https alone (sites[].hsts), with all answers.'
  findings.different([line.directive], 'hsts', text)
  const includeSubDomains = /includeSubDomains/i.test(line.value)
  const preload = /preload/i.test(line.value)
  return {
    line,
    rule: {
      maxAgeSeconds: seconds,
      ...(includeSubDomains && { includeSubDomains }),
      ...(preload && { preload }),
    },
  }
}

function etagRules(layers: Layers, findings: Findings): Rule[] {
  const directive = layers.last('fileetag')
  if (!directive) return []
  findings.taken(directive)
  return /^none$/i.test(argOf(directive)) ? [{ action: 'remove', name: 'ETag' }] : []
}

const TYPE_FOR_ALL =
  'Here it is the type of all that is there, with a known suffix or without, also in errors.'

function typeRules(layers: Layers, findings: Findings): Rule[] {
  return layers.all('forcetype').flatMap(({ directive, layer }) => {
    const type = argOf(directive)
    if (/^none$/i.test(type)) {
      findings.taken(directive)
      return []
    }
    if (!isMediaType(type.replace(/;.*$/s, '')) || !/^[!-~]([ -~]{0,198}[!-~])?$/.test(type)) {
      findings.unsupported([directive], 'type', 'It is no media type.')
      return []
    }
    findings.different([directive], 'type-for-all', TYPE_FOR_ALL)
    return [
      {
        ...{ name: 'Content-Type', value: type, statuses: ['2xx'] },
        ...(layer.paths && { paths: [...layer.paths] }),
      },
    ]
  })
}

const isCaching = (layers: Layers) => layers.all('expiresactive').some((one) => isOn(one.directive))
const isBesideTimes = ({ name, action, types, value, layer }: Line) =>
  /^cache-control$/i.test(name) &&
  action === 'add' &&
  types.length === 0 &&
  layer.paths === null &&
  value.length <= 200 &&
  !/max-age|no-store|no-cache/i.test(value)

/** A rule has room for 255 characters of them. */
const valuesOf = (lines: readonly Line[]): string =>
  [...new Set(lines.map(({ value }) => value))]
    .join(', ')
    .slice(0, 255)
    .replace(/[, ]+$/, '')

/** Where times are switched off within what has some. */
function switchedOff(layers: Layers, beside: readonly Line[], findings: Findings): Rule[] {
  const value = valuesOf(beside)
  const action = value === '' ? { action: 'remove' } : { value }
  return layers.all('expiresactive').flatMap(({ directive, layer }) => {
    findings.taken(directive)
    if (isOn(directive) || layer.paths === null) return []
    return [{ name: 'Cache-Control', ...action, paths: [...layer.paths] }]
  })
}

const NO_EXPIRES =
  'Cache-Control says it; the older Expires header is not sent, and redirects have neither of them.'
const NO_TIME =
  'It is no time: "access plus 7 days", "modification plus 1 hour", "A3600" or "M3600".'

function expiresOf(layers: Layers, beside: readonly Line[], findings: Findings): Rule[] {
  const said = layers.all('expiresbytype', 'expiresdefault')
  if (!isCaching(layers)) {
    const idle = [...said, ...layers.all('expiresactive')].map(({ directive }) => directive)
    findings.different(idle, 'not-active', 'Without ExpiresActive On it does nothing.')
    return []
  }
  const directives = valuesOf(beside)
  const rest = directives === '' ? {} : { directives }
  const rules = said.toReversed().flatMap(({ directive, layer }) => {
    const words = argsOf(directive)
    const isByType = words.length > 1
    const type = isByType ? (words[0] ?? '').replace(/;.*$/s, '').trim() : ''
    const time = timeFor(words.at(-1) ?? '')
    if (!time || (isByType && !isMediaType(type))) {
      findings.unsupported([directive], 'expires', NO_TIME)
      return []
    }
    findings.different([directive], 'expires-header', NO_EXPIRES)
    if (time.from) findings.different([directive], 'modified', MODIFIED)
    return [
      {
        ...(layer.paths && { paths: [...layer.paths] }),
        ...(isByType && { types: [type] }),
        ...time,
        ...rest,
      },
    ]
  })
  // Types go before what is said without one, whatever the layer; whole types before those with a star.
  const rank = ({ types }: Rule) => {
    const [type = ''] = (types ?? []) as string[]
    return type === '' ? 2 : type.endsWith('/*') ? 1 : 0
  }
  return merged([0, 1, 2].flatMap((wanted) => rules.filter((one) => rank(one) === wanted)))
}

const MODIFIED = 'When the time is over, max-age=0 is said.'
function timeFor(text: string): Rule | null {
  const code = /^"?([AM])(\d{1,9})"?$/.exec(text)
  if (!code) return timeOf(text.replace(/^(access|now|modification)(?=\s+\d)/, '$1 plus'))
  return {
    ...(code[1] === 'M' && { from: 'modification' }),
    maxAgeSeconds: Math.min(Number(code[2]), 315_360_000),
  }
}

/** Neighbours for other types that say the same are one rule. Of one type the first counts. */
function merged(rules: readonly Rule[]): Rule[] {
  const all: Rule[] = []
  const seen = new Set<string>()
  let lastKey = ''
  for (const { types, ...rest } of rules) {
    const [type = ''] = (types ?? []) as string[]
    const said = JSON.stringify([rest.paths, type])
    const key = JSON.stringify(rest)
    if (seen.has(said)) continue
    seen.add(said)
    const last = all.at(-1)
    const its = last?.types as string[] | undefined
    if (last && its && type !== '' && key === lastKey && its.length < MOST_RULES) its.push(type)
    else all.push(type === '' ? rest : { types: [type], ...rest })
    lastKey = key
    if (all.length > MOST_RULES) break
  }
  return all
}
