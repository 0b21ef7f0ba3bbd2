// SPDX-License-Identifier: MIT
// Merge patches (RFC 7396), and the bounds of an override. Laying one over a config reads the text again for each member, for each node,
// at each push: what a node differs in is a handful of options, never a second config.
import { defineError } from '../api-shapes/errors.ts'
import { isObject, type JsonObject, type JsonValue } from './values.ts'

export const MAX_OVERRIDE_MEMBERS = 200
const MAX_BYTES = 64 * 1024
/** As deep as a config may be. */
const MAX_DEPTH = 32

export const OverrideTooLarge = defineError(
  422,
  'override_too_large',
  'The override is too large',
  () =>
    `An override has at most ${MAX_OVERRIDE_MEMBERS} members, ${MAX_BYTES / 1024} KiB and ${MAX_DEPTH} levels. What all nodes have in common belongs into the config itself.`,
)

/** RFC 7396. Objects come without a prototype, so that a key named "__proto__" is a key like any other. */
export function mergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch
  const merged: JsonObject = Object.assign(Object.create(null), isObject(target) ? target : null)
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = mergePatch(merged[key] ?? null, value)
  }
  return merged
}

/** Throws OverrideTooLarge. Walks without recursion: the depth is what is not known yet. */
export function requireModestOverride(mergePatch: Record<string, unknown>): void {
  let members = 0
  let level: unknown[] = [mergePatch]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new OverrideTooLarge()
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
    members += level.length
    if (members > MAX_OVERRIDE_MEMBERS) throw new OverrideTooLarge()
  }
  if (Buffer.byteLength(JSON.stringify(mergePatch)) > MAX_BYTES) throw new OverrideTooLarge()
}
