// SPDX-License-Identifier: MIT
// What every part of the form knows: the schema, the problems, which sections are open, and how to
// change the text. The text is the only truth; the form reads it anew after each change.

import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { createContext, useContext } from 'react'
import { t } from '../../../languages/t.ts'
import type { Problem } from '../problems.ts'
import type { Path, SchemaNode } from '../schema-walk.ts'

export type FormState = {
  schema: SchemaNode
  problems: readonly Problem[]
  readOnly: boolean
  edit: (change: (text: string) => string) => void
  isOpen: (pointer: string) => boolean
  setOpen: (pointer: string, open: boolean) => void
  /** Items changed places or one is gone: what was open goes with its item. */
  renumber: (list: string, newIndex: (index: number) => number | null) => void
  /** Once the change is on screen. */
  focusLater: (selector: string) => void
  announce: (words: string) => void
  showInText: (pointer: string) => void
}

export const FormContext = createContext<FormState | null>(null)

export function useForm(): FormState {
  const state = useContext(FormContext)
  if (state === null) throw new Error('outside of a form')
  return state
}

export const pointerOf = (path: Path) =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Where the focus goes for a pointer: its field, or the heading of its section. */
export const fieldSelector = (pointer: string) => `[data-field="${CSS.escape(pointer)}"]`

export const isWithin = (pointer: string, outer: string) =>
  pointer === outer || pointer.startsWith(`${outer}/`)

export const problemsAt = (problems: readonly Problem[], pointer: string) =>
  problems.filter((problem) => problem.pointer === pointer)

export const problemsWithin = (problems: readonly Problem[], pointer: string) =>
  problems.filter((problem) => isWithin(problem.pointer, pointer))

/** What a problem says; its hint is left out where it is the help that stands there anyway. */
export function problemWords({ message, hint }: Problem, help = ''): string {
  const isHelp = hint !== '' && help.startsWith(hint)
  return hint === '' || isHelp ? message : `${message} (${hint})`
}

export type Reading = { ok: true; value: Record<string, unknown> } | { ok: false; why: string }

/** The text as the form shows it, or why it cannot: what is not JSON can only be mended as text. */
export function readText(text: string): Reading {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: false, disallowComments: false })
  if (errors.length > 0 || root === undefined)
    return { ok: false, why: t('The text is not JSON yet.') }
  if (root.type !== 'object') return { ok: false, why: t("The text is not an object '{' '}' yet.") }
  const twice = nameGivenTwice(root)
  if (twice !== null)
    return { ok: false, why: t('The text gives {twice} twice.', { twice: JSON.stringify(twice) }) }
  return { ok: true, value: getNodeValue(root) as Record<string, unknown> }
}

function nameGivenTwice(node: Node): string | null {
  const seen = new Set<string>()
  for (const child of node.children ?? []) {
    const name = node.type === 'object' ? String(child.children?.[0]?.value) : null
    if (name !== null && seen.has(name)) return name
    if (name !== null) seen.add(name)
    const below = nameGivenTwice(child.type === 'property' ? (child.children?.[1] ?? child) : child)
    if (below !== null) return below
  }
  return null
}
