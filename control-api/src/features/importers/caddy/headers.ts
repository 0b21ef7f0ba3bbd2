// SPDX-License-Identifier: MIT
// `header`: Caddy changes them before it answers, so they stand in answers of every status, as the node's rules without statuses do.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { argsOf, type Directive } from '../tree.ts'
import { SERVERS_OWN } from '../values.ts'
import { directivesOf, exceptOf, pathsMember, pathsOf, sayUnsayable } from './lists.ts'
import { both, mayMeet } from './patterns.ts'
import { isOddMatch, type Place, type Step } from './places.ts'

const SERVED_PATH =
  'The path of a rule is that of the file that is sent: of a folder its index file’s, of a rewritten path the new one. Case counts in it.'
const DEFERRED =
  'They stand in answers with errors as well; Caddy leaves those out where a header is taken away or deferred.'
const HEADER =
  'A header has a value of printable ASCII without placeholders here, and some are the server’s own. Write the rule by hand.'

/** A site has 64; what is more is told of, and need not all be made. */
const MOST_MADE = 1024

type Change = { rule: Rule & { name: string; action: string }; paths: string[] | null }

export function headersOf(places: readonly Place[], findings: Findings): Rule[] {
  const rules: Rule[] = []
  const done: Change[] = []
  const seen = new Set<Step>()
  const emit = (step: Step) => {
    if (step.name !== 'header' || seen.has(step) || rules.length > MOST_MADE) return
    seen.add(step)
    const had = done.length
    for (const change of changesOf(step, findings)) {
      done.push(change)
      rules.push({ ...change.rule, ...pathsMember(change.paths) })
    }
    // What the matcher leaves out is as it was before.
    const except = step.match.except.length > 0 ? exceptOf(step).slice(0, 64) : []
    if (except.length === 0) return
    for (const name of namesOf(step)) {
      rules.push({ action: 'remove', name, paths: except })
      for (const { rule, paths } of done.slice(0, had).filter((one) => isOf(one, name)))
        if (mayMeet(paths, except)) rules.push({ ...rule, paths: both(paths, except) ?? except })
    }
  }
  const around = [...new Set(places.flatMap((place) => place.outer))]
  for (const step of around) if (!isDeferred(step)) emit(step)
  const outer = [...done]
  // The later rule counts: the last place first.
  for (const place of places.toReversed()) {
    const own = new Set(place.own.flatMap(namesOf).map((name) => name.toLowerCase()))
    if (place.paths !== null && place.why === null) {
      const others = done.filter(
        (one) =>
          !outer.includes(one) && one.rule.action !== 'remove' && mayMeet(one.paths, place.paths),
      )
      if (rules.length > MOST_MADE) break
      for (const name of new Set(others.map(({ rule }) => rule.name.toLowerCase()))) {
        if (own.has(name)) continue
        const usual = outer.findLast((one) => one.rule.name.toLowerCase() === name)
        const rule = usual ? usual.rule : { action: 'remove', name }
        rules.push({ ...rule, ...pathsMember(place.paths) })
      }
    }
    for (const step of asRun(place.own)) if (!around.includes(step)) emit(step)
  }
  for (const step of around.toReversed()) emit(step)
  return rules
}

const isOf = ({ rule }: Change, name: string) => rule.name.toLowerCase() === name.toLowerCase()

/** A taking away, too, comes when the answer is sent; then the inner one goes before the outer. */
const isDeferred = (step: Step) =>
  linesOf(step).some(({ words }) => /^(-.*|>.*|defer)$/s.test(words[0] ?? ''))
const asRun = (steps: readonly Step[]): Step[] => {
  const headers = steps.filter(({ name }) => name === 'header')
  const deferred = headers.filter(isDeferred)
  return [...headers.filter((one) => !deferred.includes(one)), ...deferred.toReversed()]
}

/** Lines of a block, or the words of one. */
const linesOf = ({ directive, args }: Step): { line: Directive; words: string[] }[] =>
  directive.block
    ? directive.block
        .filter(({ name }) => name !== 'import')
        .map((line) => ({ line, words: [line.name, ...argsOf(line)] }))
    : [{ line: directive, words: args }]

const namesOf = (step: Step): string[] =>
  step.name === 'header'
    ? linesOf(step).flatMap(({ words }) => (words[0] ?? '').replace(/^[-+?>]/, '') || [])
    : []

function changesOf(step: Step, findings: Findings): Change[] {
  const { match } = step
  const paths = isOddMatch(match) ? undefined : pathsOf(step)
  if (paths === undefined) {
    sayUnsayable(step, findings)
    return []
  }
  findings.taken(...directivesOf(step))
  if (isDeferred(step)) findings.different(directivesOf(step), 'deferred', DEFERRED)
  if (paths !== null) findings.different(directivesOf(step), 'served-path', SERVED_PATH)
  return linesOf(step).flatMap(({ line, words }) => {
    if (words[0] === 'defer') {
      findings.taken(line)
      return []
    }
    const rule = ruleOf(words)
    if (rule) findings.taken(line)
    else findings.unsupported([line], 'header', HEADER)
    return rule ? [{ rule, paths }] : []
  })
}

function ruleOf([field = '', value = '', ...more]: readonly string[]): Change['rule'] | null {
  const sign = /^[-+?>]/.exec(field)?.[0] ?? ''
  const name = field.slice(sign.length).replace(/:$/, '')
  const isName = /^[A-Za-z0-9-]{1,128}$/.test(name) && more.length === 0
  const isOwn = SERVERS_OWN.has(name.toLowerCase())
  if (!isName) return null
  if (sign === '-')
    return isOwn && !/^(etag|last-modified)$/i.test(name) ? null : { action: 'remove', name }
  const text = value.trim()
  if (isOwn || !/^[ -~]{1,4096}$/.test(text) || /\{[^{} ]+\}/.test(text)) return null
  return sign === '+' ? { action: 'add', name, value: text } : { action: 'set', name, value: text }
}
