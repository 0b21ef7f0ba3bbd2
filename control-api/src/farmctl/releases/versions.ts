// SPDX-License-Identifier: MIT
// Versions as people name them: by a number, or the latest.
import { type Api, bodyOf } from '../api.ts'
import type { ReleaseVersion } from '../api-types.ts'
import { Failure, isApiError } from '../failures.ts'

/** null: there is none. */
export async function latestOf(api: Api, name: string): Promise<number | null> {
  try {
    const params = { path: { name } }
    return (await bodyOf(api.GET('/api/v1/releases/{name}', { params }))).latestVersion
  } catch (error) {
    if (isApiError(error, 'release_not_found')) return null
    throw error
  }
}

export async function getVersion(api: Api, name: string, which: string): Promise<ReleaseVersion> {
  const number = which === 'latest' ? await latestOf(api, name) : Number(which)
  if (number === null) {
    throw new Failure(
      `"${name}" has no version yet. Make one: farmctl releases push ${name} FOLDER`,
    )
  }
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Failure(`"${which}" is no version: write a number or "latest".`)
  }
  const params = { path: { name, number } }
  return await bodyOf(api.GET('/api/v1/releases/{name}/versions/{number}', { params }))
}
