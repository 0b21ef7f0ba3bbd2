// SPDX-License-Identifier: MIT
// What the palette lists for what was typed. Pure: who asks the control plane is use-found.ts.

import { t } from '../../languages/t.ts'

export const kinds = [
  'Actions',
  'Pages',
  'Nodes',
  'Configs',
  'Versions',
  'Rollouts',
  'Groups',
  'Options',
  'People',
  'Docs',
] as const
export type Kind = (typeof kinds)[number]

/** As its heading says it. */
export const kindWords: Record<Kind, string> = {
  Actions: t('Actions'),
  Pages: t('Pages'),
  Nodes: t('Nodes'),
  Configs: t('Configs'),
  Versions: t('Versions'),
  Rollouts: t('Rollouts'),
  Groups: t('Groups'),
  Options: t('Options'),
  People: t('People'),
  Docs: t('Docs'),
}

export type Found = {
  /** Of this thing alone, whatever else is listed. */
  key: string
  kind: Kind
  label: string
  /** What tells it from others of its name. */
  detail: string
  /** What else it is found by. */
  words?: string
  open: () => void
}

/** More than one reads; another word leaves fewer. */
export const SHOWN_OF_EACH = 6

export const wordsOf = (typed: string) => typed.toLowerCase().split(/\s+/).filter(Boolean)

export function hasWords({ label, detail, words = '' }: Found, typed: readonly string[]): boolean {
  const text = `${label} ${detail} ${words}`.toLowerCase()
  return typed.every((word) => text.includes(word))
}

export type Section = { kind: Kind; items: Found[]; more: number }

/**
 * In the order of their kinds, so that an answer that comes late is below what stands there already. What was found for the
 * beginning of a word stays only while it has the whole word.
 */
export function sectionsOf(all: readonly Found[], typed: string): Section[] {
  const words = wordsOf(typed)
  const found = Map.groupBy(
    all.filter((one) => hasWords(one, words)),
    ({ kind }) => kind,
  )
  return kinds.flatMap((kind) => {
    const items = bestFirst(found.get(kind) ?? [], words.join(' '))
    if (items.length === 0) return []
    return [{ kind, items: items.slice(0, SHOWN_OF_EACH), more: items.length - SHOWN_OF_EACH }]
  })
}

/** Whose name it is, then whose name begins so; else as they came. */
function bestFirst(items: readonly Found[], phrase: string): Found[] {
  const rankOf = ({ label }: Found) => {
    const name = label.toLowerCase()
    if (name === phrase) return 0
    return name.startsWith(phrase) ? 1 : 2
  }
  return items.toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** "default 17", "default v17": a version by its number, and what is left to find its config by. */
export function versionIn(typed: string): { name: string; number: string | null } {
  const words = wordsOf(typed)
  const number = words.find((word) => /^v?\d{1,9}$/.test(word)) ?? null
  return {
    name: words.filter((word) => word !== number).join(' '),
    number: number?.replace('v', '') ?? null,
  }
}
