// SPDX-License-Identifier: MIT
// Compiling a JSON Schema takes milliseconds, and many routes refuse with the same one.

/** `compile`, but once for schemas of the same text. For schemas of our own: nothing is forgotten. */
export function compileOnce<Schema extends object, Compiled extends object>(
  compile: (schema: Schema) => Compiled,
): (schema: Schema) => Compiled {
  const compiled = new Map<string, Compiled>()
  /** Most are the same objects again: to write one of them as text takes as long as all the rest. */
  const seen = new WeakMap<Schema, Compiled>()
  return (schema) => {
    const again = seen.get(schema)
    if (again) return again
    const text = JSON.stringify(schema)
    const known = compiled.get(text) ?? compile(schema)
    compiled.set(text, known)
    seen.set(schema, known)
    return known
  }
}

/**
 * The same, when the function is first called. To compile the API's schemas takes a third of a start, and most of them are for
 * what nobody asks before the next one. A schema that can't be compiled is found by the tests (every-schema.test.ts).
 */
export const compileWhenCalled = <Schema extends object, Args extends unknown[], Result>(
  compile: (schema: Schema) => (...args: Args) => Result,
) =>
  compileOnce((schema: Schema) => {
    let compiled: ((...args: Args) => Result) | null = null
    return (...args: Args): Result => {
      compiled ??= compile(schema)
      return compiled(...args)
    }
  })
