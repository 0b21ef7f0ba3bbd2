// SPDX-License-Identifier: MIT
// Regular expressions of other servers as the node’s patterns, where they mean no more than these can say: "\.(css|js)$" is "*.css" and
// "*.js". No expression of a user is ever run here, so none can take long.

import { isHost } from './values.ts'

/** A rule of the node has at most so many. */
export const MOST_PATTERNS = 64

// Of Unicode's private use: no expression has them.
const ANY = '\ue001'
const START = '\ue002'
const END = '\ue003'

/** null: it says more than patterns can. */
export function patternsOf(regex: string, isCaseless: boolean): string[] | null {
  return patternsOfTexts(new Reader(regex).read(), isCaseless)
}

/**
 * Of an expression for paths of the disk: which addresses it means where those below `address` ("" for all) are the files below
 * `folder`. It may find what it looks for in the folder's own name, or partly there. None: it means no file of this folder.
 */
export function patternsBelow(
  regex: string,
  isCaseless: boolean,
  { folder, address }: { folder: string; address: string },
): string[] | null {
  const texts = new Reader(regex).read()
  const left = texts?.flatMap((text) =>
    leftOf(text, folder, isCaseless).flatMap((rest) =>
      // What may be anything begins with a slash, as each path does, or is nothing.
      address !== '' && rest.startsWith(ANY)
        ? [
            `${START}${address}/${rest}`,
            ...(rest[1] === '/' ? [START + address + rest.slice(1)] : []),
          ]
        : [START + address + rest],
    ),
  )
  return left?.length === 0 ? [] : patternsOfTexts(left, isCaseless)
}

/** What has to come after `begun`: all that it can be, for what it looks for may begin anywhere. */
function leftOf(text: string, begun: string, isCaseless: boolean): string[] {
  const cased = (one: string) => (isCaseless ? one.toLowerCase() : one)
  const whole = `${text.startsWith(START) ? text.slice(1) : ANY + text}${text.endsWith(END) ? '' : ANY}`
  let places = new Set([0])
  for (const sign of cased(begun)) {
    const next = new Set<number>()
    for (let place of places) {
      for (; whole[place] === ANY; place++) next.add(place)
      if (cased(whole[place] ?? '') === sign) next.add(place + 1)
    }
    places = next
  }
  return [...places].map((place) => whole.slice(place))
}

function patternsOfTexts(
  texts: readonly string[] | undefined,
  isCaseless: boolean,
): string[] | null {
  if (!texts) return null
  const patterns = texts.flatMap((text) => patternsOfText(text) ?? [null])
  if (patterns.length === 0 || patterns.includes(null)) return null
  const both = isCaseless ? patterns.flatMap((one) => [one, one?.toUpperCase() ?? null]) : patterns
  const all = [...new Set(both)].filter((one) => one !== null)
  return all.length <= MOST_PATTERNS ? all : null
}

/** The same for an expression that is held against a file's name alone: patterns without "/". */
export function namesOf(regex: string, isCaseless: boolean): string[] | null {
  const names = new Reader(regex).read()?.map((text) => {
    const isStart = text.startsWith(START)
    const isEnd = text.endsWith(END)
    const body = text.slice(isStart ? 1 : 0, isEnd ? -1 : undefined)
    return `${isStart ? '' : '*'}${body.replaceAll(ANY, '*')}${isEnd ? '' : '*'}`
  })
  if (!names?.every((name) => !/[/\ue002\ue003]/.test(name))) return null
  const both = isCaseless ? names.flatMap((one) => [one, one.toUpperCase()]) : names
  const all = [...new Set(both.map((one) => one.replaceAll(/\*{2,}/g, '*')))]
  return all.length > 0 && all.length <= MOST_PATTERNS ? all : null
}

/** The texts that an expression finds, wherever they stand; null: it says more. */
export function wordsOf(regex: string): string[] | null {
  const texts = new Reader(regex).read()?.map((text) => text.replaceAll(/^\ue002|\ue003$/g, ''))
  return texts?.every((text) => /^[^\ue001-\ue003*?]+$/.test(text)) ? texts : null
}

/** Of any port, or of none, at an expression's end: sites of a node go by names. */
const ANY_PORT = /\((?:\?:)?:(?:\\d|\[0-9\])[+*]\)[?*]\$$/

/** The names of hosts that an expression means: whole ones, and "*.example.org"; null: it says more. */
export function hostsOf(regex: string): string[] | null {
  // "." without a backslash is meant as a dot in a name.
  const plain = regex
    .replace(ANY_PORT, '$')
    .replaceAll(/\\.|\[[^\]]*\]|\.(?![*+?{])/g, (one) => (one === '.' ? '\\.' : one))
  const names = new Reader(plain).read()?.flatMap((text) => {
    const isStart = text.startsWith(START)
    const name = text.slice(isStart ? 1 : 0, text.endsWith(END) ? -1 : undefined).toLowerCase()
    if (name.startsWith(`${ANY}.`)) return [`*${name.slice(1)}`]
    if (isStart) return [name]
    return name.startsWith('.') ? [`*${name}`] : [name, `*.${name}`]
  })
  return names?.length && names.every(isHost) ? [...new Set(names)] : null
}

function patternsOfText(text: string): string[] | null {
  const isStart = text.startsWith(START)
  const isEnd = text.endsWith(END)
  const body = text.slice(isStart ? 1 : 0, isEnd ? -1 : undefined)
  if (body.includes(START) || body.includes(END)) return null
  const open = `${isStart ? '' : ANY}${body}${isEnd ? '' : ANY}`.replaceAll(/\ue001+/g, ANY)
  const rest = open.startsWith(ANY) ? open.slice(1) : null
  // Every path begins with a slash.
  if (rest === null) return open.startsWith('/') ? [globbed(open)] : []
  if (!rest.includes('/') && !rest.includes(ANY))
    return rest === '' ? ['/**'] : [`*${globbed(rest)}`]
  const anywhere = `/**${globbed(rest)}`
  return rest.startsWith('/') ? [anywhere, globbed(rest)] : [anywhere]
}

const globbed = (text: string) => text.replaceAll(ANY, '**')

/** Into the texts that an expression means, with marks for "anything" and for the ends; undefined: too much for that. */
class Reader {
  #at = 0
  #isTooMuch = false
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  read(): string[] | undefined {
    const texts = this.#alternatives(0)
    return this.#isTooMuch || this.#at < this.#text.length ? undefined : texts
  }

  #alternatives(depth: number): string[] {
    if (depth > 8) return this.#tooMuch()
    const all = this.#sequence(depth)
    while (this.#text[this.#at] === '|') {
      this.#at++
      all.push(...this.#sequence(depth))
    }
    return all.length > MOST_PATTERNS ? this.#tooMuch() : all
  }

  #sequence(depth: number): string[] {
    let texts = ['']
    while (!this.#isTooMuch) {
      const next = this.#text[this.#at]
      if (next === undefined || next === '|' || next === ')') break
      const atoms = this.#repeated(this.#atom(depth))
      if (texts.length * atoms.length > MOST_PATTERNS) return this.#tooMuch()
      texts = texts.flatMap((text) => atoms.map((atom) => text + atom))
    }
    return texts
  }

  #repeated(atoms: string[]): string[] {
    const sign = this.#text[this.#at]
    if (sign === '?') {
      this.#at++
      return ['', ...atoms]
    }
    if (sign !== '*' && sign !== '+' && sign !== '{')
      return atoms.includes('?') ? this.#tooMuch() : atoms
    // Of "." and of "[^/]" alone: the node knows no other repetition.
    const [only] = atoms
    if (atoms.length > 1 || (only !== '?' && only !== '*') || sign === '{') return this.#tooMuch()
    this.#at++
    if (this.#text[this.#at] === '?' || this.#text[this.#at] === '+') this.#at++
    return [only === '?' ? ANY : '*']
  }

  #atom(depth: number): string[] {
    const character = this.#text[this.#at++] ?? ''
    switch (character) {
      case '^':
        return [START]
      case '$':
        return [END]
      case '.':
        return ['?']
      case '(':
        return this.#group(depth)
      case '[':
        return this.#set()
      case '\\': {
        const escaped = this.#text[this.#at++] ?? ''
        return /[\w*?]|^$/.test(escaped) ? this.#tooMuch() : [escaped]
      }
      case '*':
      case '+':
      case '?':
      case '{':
      case ANY:
      case START:
      case END:
        return this.#tooMuch()
      default:
        return [character]
    }
  }

  #group(depth: number): string[] {
    const rest = this.#text.slice(this.#at, this.#at + 80)
    const opened = /^\?(?::|P?<\w+>)/.exec(rest)
    if (rest.startsWith('?') && !opened) return this.#tooMuch()
    this.#at += opened?.[0].length ?? 0
    const inner = this.#alternatives(depth + 1)
    if (this.#text[this.#at++] !== ')') return this.#tooMuch()
    return inner
  }

  #set(): string[] {
    const end = this.#text.indexOf(']', this.#at + 1)
    const set = end < 0 ? '' : this.#text.slice(this.#at, end)
    this.#at = end + 1
    if (set === '^/') return ['*']
    return /^[\w.-]{1,8}$/.test(set) && !/\w-\w/.test(set) ? [...set] : this.#tooMuch()
  }

  #tooMuch(): string[] {
    this.#isTooMuch = true
    return ['']
  }
}

export const escapeRegex = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The same with groups that take nothing, so that those beside it keep their numbers. */
export const withoutGroups = (regex: string): string => groupsOut(regex).text
export const groupsIn = (regex: string): number => groupsOut(regex).count

function groupsOut(regex: string): { text: string; count: number } {
  let [text, count, isInSet] = ['', 0, false]
  for (let i = 0; i < regex.length; i++) {
    const character = regex[i] ?? ''
    if (character === '\\') {
      text += character + (regex[++i] ?? '')
      continue
    }
    if (character === '[') isInSet = true
    else if (character === ']') isInSet = false
    text += character
    if (character !== '(' || isInSet) continue
    const named = /^\?P?<\w+>/.exec(regex.slice(i + 1, i + 80))
    if (named) i += named[0].length
    else if (regex[i + 1] === '?') continue
    text += '?:'
    count++
  }
  return { text, count }
}
