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
  default?: unknown
  /** false: the node takes the option when it starts. */
  'x-live'?: boolean
}

/**
 * live: holds from the next request on. listeners: the node opens and closes listening sockets for it,
 * while connections go on. restart: holds when the node's process is started again.
 */
export const EFFECTS = ['live', 'listeners', 'restart'] as const
export type Effect = (typeof EFFECTS)[number]

/** Top-level members that say where the node listens. */
const LISTENING = new Set(['listen', 'admin', 'workers'])

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

/** What it takes until a change there holds on a node. */
export function effectOf(schema: SchemaNode, pointer: string): Effect {
  const [top = ''] = keysOf(pointer)
  const option = schemaAt(schema, pointer)
  if (option && waitsForStart(option)) return 'restart'
  return LISTENING.has(top) ? 'listeners' : 'live'
}

const waitsForStart = (option: SchemaNode): boolean =>
  option['x-live'] === false || Object.values(option.properties ?? {}).some(waitsForStart)

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
