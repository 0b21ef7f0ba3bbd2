// SPDX-License-Identifier: MIT
// A node's file: the labels and the override it has on top of its group. Nodes come by enrolling only.
import { isDeepStrictEqual } from 'node:util'
import { type Api, bodyOf, taggedBodyOf } from '../api.ts'
import type { Impact, Node } from '../api-types.ts'
import { type JsonObject, mustBeLabels, mustBeObject, readDocument } from '../documents.ts'
import { Failure } from '../failures.ts'
import { unifiedDiff } from '../line-diff.ts'
import { impactNotes } from './impact.ts'
import type { Manifest } from './manifests.ts'
import { type Step, unchanged } from './steps.ts'

type NodeFile = { labels?: Record<string, string>; override?: JsonObject }
const MEMBERS = { labels: mustBeLabels, override: mustBeObject }

/** An export holds the nodes of its day: one that went since does not keep the others from being applied. */
export async function planNodeOfFolder(
  world: { api: Api; nodes: readonly Node[] },
  manifest: Manifest,
): Promise<Step> {
  const { kind, name, file, text } = manifest
  if (world.nodes.some((one) => one.name === name)) return planNode(world, manifest)
  readDocument(file, text, MEMBERS)
  const note = `${file} is left out: there is no such node. Nodes come by enrolling (farmctl enrol); remove the file if it is gone for good.`
  return { kind, name, file, action: 'absent', diff: [], notes: [note], run: null }
}

export async function planNode(
  { api, nodes }: { api: Api; nodes: readonly Node[] },
  { kind, name, file, text }: Manifest,
): Promise<Step> {
  const wanted: NodeFile = readDocument(file, text, MEMBERS)
  const node = nodes.find((one) => one.name === name)
  if (!node) {
    throw new Failure(
      `${file}: there is no node "${name}". Nodes come by enrolling (farmctl enrol); remove the file if it is gone for good.`,
    )
  }
  const current = await nodeFileOf(api, node)
  const { labels = current.labels, override = current.override } = wanted
  const after = { labels, override }
  if (isDeepStrictEqual(current, after)) return unchanged(kind, name, file)
  return {
    kind,
    name,
    file,
    action: 'update',
    diff: unifiedDiff(printFile(current), printFile(after)),
    notes: await notesOf(api, { id: node.id, name, current, after }),
    run: () => change(api, { id: node.id, name, current, after }),
  }
}

export async function nodeFileOf(api: Api, { id, labels }: Node): Promise<Required<NodeFile>> {
  const params = { path: { id } }
  const { mergePatch } = await bodyOf(api.GET('/api/v1/nodes/{id}/override', { params }))
  return { labels, override: mergePatch }
}

export const printFile = (file: object) => `${JSON.stringify(file, null, 2)}\n`

type Changing = {
  id: string
  name: string
  current: Required<NodeFile>
  after: Required<NodeFile>
}

/** Each against the node as it is now: a dry run knows of no other one. */
async function notesOf(api: Api, { id, current, after }: Changing): Promise<string[]> {
  const path = { id }
  const { etag } = await taggedBodyOf(api.GET('/api/v1/nodes/{id}', { params: { path } }))
  const params = { path, header: { 'if-match': etag }, query: { dryRun: '1' as const } }
  const notes: string[] = []
  if (!isDeepStrictEqual(current.labels, after.labels)) {
    const body = { labels: after.labels }
    const impact = await bodyOf(api.PATCH('/api/v1/nodes/{id}', { params, body }))
    notes.push(...impactNotes(impact as Impact).map((note) => `Labels: ${note}`))
  }
  if (!isDeepStrictEqual(current.override, after.override)) {
    const body = { mergePatch: after.override }
    const impact = await bodyOf(api.PUT('/api/v1/nodes/{id}/override', { params, body }))
    notes.push(...impactNotes(impact as Impact).map((note) => `Override: ${note}`))
  }
  return notes
}

/** What was read for the plan must be what is there: else somebody was faster. */
async function change(api: Api, { id, name, current, after }: Changing): Promise<string> {
  const path = { id }
  const { body: node, etag } = await taggedBodyOf(
    api.GET('/api/v1/nodes/{id}', { params: { path } }),
  )
  if (!isDeepStrictEqual(await nodeFileOf(api, node), current)) {
    throw new Failure(`${name} changed since the plan was made. Run it again.`)
  }
  let ifMatch = etag
  if (!isDeepStrictEqual(current.labels, after.labels)) {
    const params = { path, header: { 'if-match': ifMatch } }
    const body = { labels: after.labels }
    ifMatch = (await taggedBodyOf(api.PATCH('/api/v1/nodes/{id}', { params, body }))).etag
  }
  if (!isDeepStrictEqual(current.override, after.override)) {
    const params = { path, header: { 'if-match': ifMatch } }
    const body = { mergePatch: after.override }
    await api.PUT('/api/v1/nodes/{id}/override', { params, body })
  }
  return `node ${name}: changed`
}
