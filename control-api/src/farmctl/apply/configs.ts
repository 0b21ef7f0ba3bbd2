// SPDX-License-Identifier: MIT
// A config file against its latest version: other bytes make a new version, the same ones nothing.
import { type Api, bodyOf } from '../api.ts'
import type { Node, Version } from '../api-types.ts'
import { EXIT } from '../exit-codes.ts'
import { ApiError, atPosition, Failure, isApiError, locate } from '../failures.ts'
import { unifiedDiff } from '../line-diff.ts'
import type { Manifest } from './manifests.ts'
import { type Step, unchanged } from './steps.ts'

/** `message` is asked for when the first version is made. */
type World = { api: Api; nodes: readonly Node[]; message: () => string }

export async function planConfig(world: World, manifest: Manifest): Promise<Step> {
  const { kind, name, file, text } = manifest
  const latest = await latestVersion(world.api, name)
  if (latest?.text === text) return unchanged(kind, name, file)
  await requireValid(world.api, manifest)
  return {
    kind,
    name,
    file,
    action: latest ? 'update' : 'create',
    diff: unifiedDiff(latest?.text ?? '', text),
    notes: [touched(world.nodes, name), ...(await draftNote(world.api, name, latest))],
    run: () => saveVersion(world, manifest, latest?.number ?? null),
  }
}

export async function latestVersion(api: Api, name: string): Promise<Version | null> {
  try {
    const { latestVersion: number } = await bodyOf(
      api.GET('/api/v1/configs/{name}', { params: { path: { name } } }),
    )
    return number === null ? null : await getVersion(api, name, number)
  } catch (error) {
    if (isApiError(error, 'config_not_found')) return null
    throw error
  }
}

export const getVersion = (api: Api, name: string, number: number): Promise<Version> =>
  bodyOf(
    api.GET('/api/v1/configs/{name}/versions/{number}', { params: { path: { name, number } } }),
  )

export async function requireValid(
  api: Api,
  { file, text }: Pick<Manifest, 'file' | 'text'>,
): Promise<void> {
  const { ok, errors } = await bodyOf(api.POST('/api/v1/configs/validate', { body: { text } }))
  if (ok) return
  throw new Failure(errors.map((error) => atPosition(file, error)).join('\n'), EXIT.rejected)
}

function touched(nodes: readonly Node[], config: string): string {
  const names = nodes
    .filter(({ sync }) => sync.desired?.version?.config === config)
    .map(({ name }) => name)
  if (names.length === 0) return 'No node runs this config now.'
  const some = names.slice(0, 5).join(', ')
  const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
  return `Nodes that run it go on as they are until a rollout: ${some}${more}.`
}

/** A draft is somebody's work under way: told, never touched. */
async function draftNote(api: Api, name: string, latest: Version | null): Promise<string[]> {
  if (!latest) return []
  const params = { path: { name } }
  const draft = await bodyOf(api.GET('/api/v1/configs/{name}/draft', { params }))
  if (draft.text === latest.text) return []
  return [`${draft.updatedBy ?? 'Somebody'} has an unsaved draft of it; it stays as it is.`]
}

async function saveVersion(
  { api, message }: World,
  { name, file, text }: Manifest,
  parent: number | null,
): Promise<string> {
  const body = { text, message: message(), parent }
  const params = { path: { name } }
  const saved = await locate(
    file,
    bodyOf(api.POST('/api/v1/configs/{name}/versions', { params, body })),
  )
  return `config ${name}: version ${saved.number}. To the nodes: farmctl rollout start ${name}@${saved.number}`
}

/** What was planned on has changed: the next plan shows how. */
export const isOvertaken = (error: unknown) =>
  error instanceof ApiError && (error.status === 409 || error.status === 412)
