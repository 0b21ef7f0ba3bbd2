// SPDX-License-Identifier: MIT
// One example for each body of the description, made from its schema: what a schema gives as its
// example, else what its parts make. So examples cannot be forgotten, and a test holds them against
// the schemas they are of.
import { isSchema, type JsonSchema } from '../json/json-schema.ts'

const LONGEST_EXAMPLE_TEXT = 64

/** `name`: the member it is of, which says more than no text at all. */
export function exampleOf(schema: unknown, name = ''): unknown {
  if (!isSchema(schema)) return {}
  const { examples, enum: choices, anyOf, allOf, type } = schema
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  if ('default' in schema) return schema.default
  if ('const' in schema) return schema.const
  if (Array.isArray(choices)) return choices[0]
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((part) => exampleOf(part, name)))
  if (Array.isArray(anyOf)) return exampleOf(anyOf.find(isNotNull) ?? anyOf[0], name)
  const make = typeof type === 'string' ? MAKERS[type] : undefined
  return make ? make(schema, name) : {}
}

const isNotNull = (part: unknown) => isSchema(part) && part.type !== 'null'

const MAKERS: Record<string, (schema: JsonSchema, name: string) => unknown> = {
  object: ({ properties }) =>
    Object.fromEntries(
      Object.entries(isSchema(properties) ? properties : {}).map(([member, part]) => [
        member,
        exampleOf(part, member),
      ]),
    ),
  array: ({ items, maxItems }, name) => (maxItems === 0 ? [] : [exampleOf(items, name)]),
  string: (_schema, name) => name.slice(0, LONGEST_EXAMPLE_TEXT),
  integer: (schema) => within(schema, 1),
  number: (schema) => within(schema, 0.25),
  boolean: () => true,
  null: () => null,
}

function within({ minimum, maximum }: JsonSchema, wish: number): number {
  const above = typeof minimum === 'number' ? Math.max(minimum, wish) : wish
  return typeof maximum === 'number' ? Math.min(maximum, above) : above
}
