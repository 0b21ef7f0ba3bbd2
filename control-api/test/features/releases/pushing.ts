// SPDX-License-Identifier: MIT
// A release made over the API, step by step as a client does it.
import { expect } from 'vitest'
import { sha256 } from '../../../src/base/ids.ts'
import type { Client } from '../../helper.ts'
import { type Files, manifestOf } from '../../release-store/manifests.ts'

type Json = Record<string, unknown>
export const BYTES = { 'content-type': 'application/octet-stream' }

export const putBlob = (client: Client, name: string, bytes: string | Buffer, range?: string) =>
  client.inject({
    method: 'PUT',
    url: `/api/v1/blobs/${name}`,
    headers: { ...BYTES, ...(range !== undefined && { 'content-range': range }) },
    payload: bytes,
  })

export const get = async (client: Client, path: string) => {
  const answer = await client.inject({ method: 'GET', url: `/api/v1${path}` })
  return { status: answer.statusCode, body: answer.json<Json>(), headers: answer.headers }
}

/** The manifest's digest. */
export async function stage(client: Client, text: string): Promise<string> {
  const name = sha256(text)
  expect((await putBlob(client, name, text)).statusCode).toBe(200)
  const answer = await client.inject({ method: 'PUT', url: `/api/v1/manifests/${name}` })
  expect(answer.statusCode, answer.body).toBe(200)
  return name
}

export const makeVersion = (
  client: Client,
  release: string,
  body: { manifest: string; parent: number | null; message?: string },
) =>
  client.inject({
    method: 'POST',
    url: `/api/v1/releases/${release}/versions`,
    payload: { message: 'a test', ...body },
  })

/** All of it; the manifest's digest. */
export async function push(
  client: Client,
  release: string,
  files: Files,
  parent: number | null,
): Promise<string> {
  const manifest = await stage(client, manifestOf(files))
  for (const content of new Set(Object.values(files))) {
    expect((await putBlob(client, sha256(content), content)).statusCode).toBe(200)
  }
  const answer = await makeVersion(client, release, { manifest, parent })
  expect(answer.statusCode, answer.body).toBe(201)
  return manifest
}
