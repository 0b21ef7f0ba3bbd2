// SPDX-License-Identifier: MIT
// The first thing in a backup: what it is of, and what must be in it.
import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'

export const MANIFEST = 'manifest.json'
export const CONTROL_DB = 'control.db'
export const FORMAT = 1
/** Far above what the names of a data folder's files take. */
export const MANIFEST_MAX_BYTES = 1024 * 1024

const ManifestSchema = Type.Object({
  format: Type.Integer(),
  /** Of the service that made it. */
  version: Type.String(),
  createdAt: Type.String(),
  controlPlaneId: Type.String(),
  epoch: Type.Integer(),
  /** The newest migration: the schema of control.db. */
  schema: Type.String(),
  files: Type.Array(
    Type.Object({ name: Type.String(), sizeBytes: Type.Integer(), sha256: Type.String() }),
  ),
})
export type Manifest = Static<typeof ManifestSchema>
export type FileFacts = Manifest['files'][number]

export function parseManifest(text: string): Manifest {
  const value: unknown = JSON.parse(text)
  if (!Value.Check(ManifestSchema, value)) throw new Error('its manifest has another form')
  if (value.format !== FORMAT) {
    throw new Error(`it has format ${value.format}, and this version reads format ${FORMAT}`)
  }
  return value
}

export async function factsOf(name: string, path: string): Promise<FileFacts> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return { name, sizeBytes: statSync(path).size, sha256: hash.digest('hex') }
}
