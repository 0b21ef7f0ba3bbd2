// SPDX-License-Identifier: MIT
// Finds what the node's own JSON Schema says about a place in a config. The schema has no oneOf
// (a `kind` member instead), so that each place has one answer.

import { t } from '../../languages/t.ts'

export type SchemaNode = {
  $ref?: string
  $defs?: Record<string, SchemaNode>
  title?: string
  /** false: a push of it needs the node's restart. */
  'x-live'?: boolean
  'x-unit'?: string
  type?: string | string[]
  description?: string
  default?: unknown
  const?: unknown
  enum?: unknown[]
  anyOf?: SchemaNode[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  required?: string[]
  properties?: Record<string, SchemaNode>
  additionalProperties?: boolean | SchemaNode
  items?: SchemaNode
}

export type Path = readonly (string | number)[]

export function schemaAt(root: SchemaNode, path: Path): SchemaNode | null {
  let here: SchemaNode | null = resolve(root, root)
  for (const key of path) {
    const child: SchemaNode | null = here === null ? null : childOf(root, here, key)
    here = child === null ? null : resolve(root, child)
  }
  return here
}

/** The schema itself and, where a value may be of several kinds ("auto" or a number), each of them. */
export function kindsOf(root: SchemaNode, schema: SchemaNode): SchemaNode[] {
  if (schema.anyOf === undefined) return [schema]
  return schema.anyOf.map((kind) => resolve(root, kind))
}

export function typesOf(schema: SchemaNode): string[] {
  if (schema.type !== undefined) return [schema.type].flat()
  if (schema.properties !== undefined) return ['object']
  if (schema.items !== undefined) return ['array']
  return []
}

/** Every value that may be written here, when they can be listed. */
export function listedValues(root: SchemaNode, schema: SchemaNode): unknown[] {
  const values = kindsOf(root, schema).flatMap((kind) => {
    if (kind.enum !== undefined) return kind.enum
    if (kind.const !== undefined) return [kind.const]
    const words = onlyWords(kind)
    if (words.length > 0) return words
    return typesOf(kind).includes('boolean') ? [true, false] : []
  })
  return [...new Set(values)]
}

/** "whole number, 1 to 64, or "auto"": what may be written here, in words. */
export function expectation(root: SchemaNode, schema: SchemaNode): string {
  const kinds = kindsOf(root, schema)
  if (kinds.length > 1) return kinds.map((kind) => expectation(root, kind)).join(t(' or '))
  const [kind] = kinds
  if (kind === undefined) return t('anything')
  if (kind.enum !== undefined) return kind.enum.map((value) => JSON.stringify(value)).join(', ')
  if (kind.const !== undefined) return JSON.stringify(kind.const)
  const word = onlyWord(kind)
  const words = typesOf(kind).map((type) => {
    if (type === 'integer') return integerWords(kind)
    return type === 'string' && word !== null ? JSON.stringify(word) : typeWords[type]
  })
  return words.filter((word) => word !== undefined).join(t(' or ')) || t('anything')
}

/** The one word a text may be, as in "auto" beside a number. */
export function onlyWord(schema: SchemaNode): string | null {
  return /^\^(\w+)\$$/.exec(schema.pattern ?? '')?.[1] ?? null
}

/** The words a text may be, one or several, as in "^(br|gzip)$" of a list's items. */
function onlyWords(schema: SchemaNode): string[] {
  const word = onlyWord(schema)
  if (word !== null) return [word]
  return /^\^\((\w+(?:\|\w+)*)\)\$$/.exec(schema.pattern ?? '')?.[1]?.split('|') ?? []
}

const typeWords: Record<string, string> = {
  object: t("an object '{' '}'"),
  array: t('a list [ ]'),
  string: t('a text in quotes'),
  number: t('a number'),
  boolean: t('true or false'),
  null: 'null',
}

function integerWords({ minimum, maximum }: SchemaNode): string {
  if (minimum !== undefined && maximum !== undefined)
    return t('a whole number {minimum}–{maximum}', { minimum, maximum })
  if (minimum !== undefined) return t('a whole number of at least {minimum}', { minimum })
  if (maximum !== undefined) return t('a whole number of at most {maximum}', { maximum })
  return t('a whole number')
}

function childOf(root: SchemaNode, here: SchemaNode, key: string | number): SchemaNode | null {
  for (const kind of kindsOf(root, here)) {
    if (typeof key === 'number') {
      if (kind.items !== undefined) return kind.items
      continue
    }
    const property = kind.properties?.[key]
    if (property !== undefined && Object.hasOwn(kind.properties ?? {}, key)) return property
    if (typeof kind.additionalProperties === 'object') return kind.additionalProperties
  }
  return null
}

function resolve(root: SchemaNode, node: SchemaNode): SchemaNode {
  if (node.$ref === undefined || !node.$ref.startsWith('#/$defs/')) return node
  const target = root.$defs?.[node.$ref.slice('#/$defs/'.length)]
  return target === undefined ? node : { ...target, ...node }
}
