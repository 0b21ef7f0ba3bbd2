// SPDX-License-Identifier: MIT
// A text's directives by the sections that they stand in, without the conditions that hold or do not hold.
import type { Findings } from '../findings.ts'
import { normal } from '../paths.ts'
import { OTHER_METHODS } from '../sayings.ts'
import { argsOf, type Directive, everyDirective } from '../tree.ts'
import { keyOf } from './parser.ts'

export type Section = { directive: Directive; text: string; isRegex: boolean; body: Body }
export type Body = {
  own: Directive[]
  folders: Section[]
  files: Section[]
  locations: Section[]
  hosts: { directive: Directive; body: Body }[]
}
type Context = { off: ReadonlySet<Directive>; findings: Findings }

const NOT_LOADED =
  'What it asks for (a module, a name that is defined, a version) is not there, so nothing in it is in force.'
const CONDITION =
  'A node has no such condition: sites are by host, rules by patterns of paths. Write what is meant into the rules by hand.'
/** Left to whoever reads the setting that they belong to. */
const KEPT = new Set(['requireall', 'requireany', 'requirenone', 'authnprovideralias'])
const CONDITIONS = new Set(['ifmodule', 'ifdefine', 'ifversion'])

export function bodyOf(directives: readonly Directive[], context: Context): Body {
  const body: Body = { own: [], folders: [], files: [], locations: [], hosts: [] }
  add(body, directives, context)
  return body
}

function add(body: Body, directives: readonly Directive[], context: Context): void {
  const { off, findings } = context
  for (const directive of directives) {
    const { block } = directive
    const key = keyOf(directive)
    if (!block || KEPT.has(key)) body.own.push(directive)
    else if (off.has(directive))
      findings.different([...everyDirective([directive])], 'not-loaded', NOT_LOADED)
    else if (CONDITIONS.has(key)) {
      findings.taken(directive)
      add(body, block, context)
    } else addSection(body, directive, context)
  }
}

function addSection(body: Body, directive: Directive, context: Context): void {
  const { findings } = context
  const all = [...everyDirective([directive])]
  const inner = directive.block ?? []
  const key = keyOf(directive)
  switch (key) {
    case 'virtualhost':
      body.hosts.push({ directive, body: bodyOf(inner, context) })
      return
    case 'directory':
    case 'directorymatch':
      body.folders.push(sectionOf(directive, context))
      return
    case 'files':
    case 'filesmatch':
      body.files.push(sectionOf(directive, context))
      return
    case 'location':
    case 'locationmatch':
      body.locations.push(sectionOf(directive, context))
      return
    case 'limit':
    case 'limitexcept': {
      // What holds for GET holds for all that a node answers.
      const isGetNamed = argsOf(directive).some((method) => /^get$/i.test(method))
      if (isGetNamed !== (key === 'limit')) {
        findings.different(all, 'methods', OTHER_METHODS)
        return
      }
      findings.different([directive], 'methods', OTHER_METHODS)
      add(body, inner, context)
      return
    }
    case 'proxy':
    case 'proxymatch':
      findings.unsupported(all, 'application', 'This is a proxy’s work. Keep it where it is.')
      return
    case 'macro': {
      const text =
        'Macros are not followed: write out what each Use of it means, then import again.'
      findings.unsupported(all, 'macro', text)
      return
    }
    default:
      findings.unsupported(all, 'condition', CONDITION)
  }
}

function sectionOf(directive: Directive, context: Context): Section {
  const words = argsOf(directive)
  const isMarked = words[0] === '~'
  const isRegex = isMarked || /match$/.test(keyOf(directive))
  const text = (isMarked ? words[1] : words[0]) ?? ''
  const isFolder = keyOf(directive) === 'directory' && !isRegex
  return {
    ...{ directive, isRegex, body: bodyOf(directive.block ?? [], context) },
    text: isFolder ? normal(text) || '/' : text,
  }
}
