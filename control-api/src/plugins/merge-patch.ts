// SPDX-License-Identifier: MIT
// PATCH with application/merge-patch+json is what RFC 7396 says: members of objects are merged, null removes. As
// application/json an object among the members is taken as a whole. So for the former, what has objects merges them
// into what is there, before the body is held against its schema.
import type { FastifyRequest } from 'fastify'
import { mergePatch } from '../json/merge-patch.ts'
import { isObject, type JsonObject, type JsonValue } from '../json/values.ts'

export const MERGE_PATCH = 'application/merge-patch+json'

export const isMergePatch = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase() === MERGE_PATCH

/** `objects`: the members of the thing that are objects, as they are. null: there is none, which the route will say. */
type Current = { etag: string; objects: JsonObject } | null

/** A `preValidation` of the route. */
export const mergeObjects =
  (read: (params: Record<string, string>) => Promise<Current>) =>
  async (request: FastifyRequest): Promise<void> => {
    const patch = request.body as JsonValue
    if (!isMergePatch(request) || !isObject(patch)) return
    const current = await read(request.params as Record<string, string>)
    if (!current) return
    for (const [name, before] of Object.entries(current.objects)) {
      const given = patch[name]
      if (given === null) patch[name] = {}
      // What is no object is for the schema to refuse.
      else if (given !== undefined && isObject(given)) patch[name] = mergePatch(before, given)
    }
    // What it was merged into must still be there when it is stored.
    if (request.headers['if-match']?.trim() === '*') request.headers['if-match'] = current.etag
  }
