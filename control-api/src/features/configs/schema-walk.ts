// SPDX-License-Identifier: MIT
// Finds what the node's JSON Schema says about a place in a document. The schema has no oneOf
// (a `kind` member instead), so each pointer has one answer.
import { keysOf } from './text.ts'

/** The part of JSON Schema 2020-12 that the node prints and we read; Ajv reads the whole. */
export type SchemaNode = {
  $ref?: string
  $defs?: Record<string, SchemaNode>
  type?: string | string[]
  description?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: SchemaNode[]
  pattern?: string
  propertyNames?: SchemaNode
  minimum?: number
  maximum?: number
  required?: string[]
  properties?: Record<string, SchemaNode>
  additionalProperties?: boolean | SchemaNode
  items?: SchemaNode
}

export function schemaAt(schema: SchemaNode, pointer: string): SchemaNode | null {
  let here: SchemaNode | null = resolve(schema, schema)
  for (const key of keysOf(pointer)) {
    const child: SchemaNode | null = here && childOf(here, key)
    here = child && resolve(schema, child)
  }
  return here
}

/** The help of the option itself, or of the nearest one around it that has any. */
export function helpFor(schema: SchemaNode, pointer: string): string {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const help = schemaAt(schema, at)?.description
    if (help && at !== '') return help
    if (at === '') return ''
  }
}

function childOf(here: SchemaNode, key: string): SchemaNode | null {
  if (here.properties && Object.hasOwn(here.properties, key)) return here.properties[key] ?? null
  if (here.items && /^[0-9]+$/.test(key)) return here.items
  return typeof here.additionalProperties === 'object' ? here.additionalProperties : null
}

function resolve(root: SchemaNode, node: SchemaNode): SchemaNode {
  const name = node.$ref?.startsWith('#/$defs/') ? node.$ref.slice('#/$defs/'.length) : null
  const target = name === null ? undefined : root.$defs?.[name]
  return target ? { ...target, ...node } : node
}
