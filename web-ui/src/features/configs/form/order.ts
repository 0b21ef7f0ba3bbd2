// SPDX-License-Identifier: MIT
// What of a part of the form stands in front: what must be given, what the text has and what is
// wrong. The rest, as by default, is folded, and a fold opens for whoever is led to something in it.
import { pathOfPointer } from '../../../components/code/positions.ts'
import type { Problem } from '../problems.ts'
import { type Path, type SchemaNode, schemaAt } from '../schema-walk.ts'
import { pointerOf, problemsWithin } from './form-state.ts'

/** One or two take no more room than the button that would hide them. */
const FEWEST_FOLDED = 3

/** The name under which it is kept whether a part's fold is open; no option is called so. */
export const foldOf = (part: Path) => pointerOf([...part, '-'])

type Part = { path: Path; schema: SchemaNode; value: Record<string, unknown> }

export function isInFront(name: string, part: Part, problems: readonly Problem[]): boolean {
  const isRequired = part.schema.required?.includes(name) ?? false
  const isSet = Object.hasOwn(part.value, name)
  return isRequired || isSet || problemsWithin(problems, pointerOf([...part.path, name])).length > 0
}

/**
 * What is not folded when a part is opened. Who opens a part of which nothing is set wants to set
 * something in it, so all of it is shown; not so the node's own options, which nobody has opened.
 */
export function frontOf(
  part: Path,
  names: readonly string[],
  inFront: readonly string[],
): ReadonlySet<string> {
  const isFresh = inFront.length === 0 && part.length > 0
  const isFolded = names.length - inFront.length >= FEWEST_FOLDED && !isFresh
  return new Set(isFolded ? inFront : names)
}

/** The folds that hide what a pointer leads to. */
export function foldsOver(
  pointer: string,
  root: SchemaNode,
  whole: Record<string, unknown>,
  problems: readonly Problem[],
): string[] {
  const keys = pathOfPointer(pointer)
  return keys.flatMap((key, depth) => {
    const path = keys.slice(0, depth)
    const schema = schemaAt(root, path)
    if (schema === null || !Object.hasOwn(schema.properties ?? {}, key)) return []
    const part = { path, schema, value: valueAt(whole, path) }
    return isInFront(String(key), part, problems) ? [] : [foldOf(path)]
  })
}

/** What the text has at a path; nothing is as an object without members. */
function valueAt(whole: Record<string, unknown>, path: Path): Record<string, unknown> {
  const found = path.reduce<unknown>(
    (here, key) => (Object.hasOwn(Object(here), key) ? Object(here)[key] : undefined),
    whole,
  )
  return Object(found)
}
