// SPDX-License-Identifier: MIT

/** Shapes that get a name in the description. A part that equals one refers to it. */
export type NamedSchemas = Record<string, object>

/** Replaces parts that equal a named schema by a reference to it. */
export function nameSchemas<T extends { components?: object }>(
  document: T,
  schemas: NamedSchemas,
): T {
  // Bottom up, so that a shape made of named shapes is found with those already replaced.
  const names = new Map<string, string>()
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace)
    if (typeof value !== 'object' || value === null) return value
    const inner = Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, replace(part)]),
    )
    const name = names.get(JSON.stringify(inner))
    return name ? { $ref: `#/components/schemas/${name}` } : inner
  }
  const named: Record<string, unknown> = {}
  const bySize = Object.entries(schemas)
    .map(([name, schema]) => ({ name, schema: JSON.parse(JSON.stringify(schema)) }))
    .sort((a, b) => JSON.stringify(a.schema).length - JSON.stringify(b.schema).length)
  for (const { name, schema } of bySize) {
    const shape = replace(schema)
    named[name] = shape
    names.set(JSON.stringify(shape), name)
  }
  const { components, ...rest } = document
  const sorted = Object.fromEntries(Object.entries(named).sort(([a], [b]) => a.localeCompare(b)))
  return { ...(replace(rest) as T), components: { ...components, schemas: sorted } }
}
