// SPDX-License-Identifier: MIT
// Compiling a JSON Schema takes milliseconds, and many routes refuse with the same one.

/** `compile`, but once for schemas of the same text. For schemas of our own: nothing is forgotten. */
export function compileOnce<Schema extends object, Compiled extends object>(
  compile: (schema: Schema) => Compiled,
): (schema: Schema) => Compiled {
  const compiled = new Map<string, Compiled>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text)
    if (known) return known
    const fresh = compile(schema)
    compiled.set(text, fresh)
    return fresh
  }
}
