// SPDX-License-Identifier: MIT
// A group's file: all of its settings. What is left out is empty, as in the API's PUT.
import { isDeepStrictEqual } from 'node:util'
import { formatSelector, parseSelector } from '../../labels/selector.ts'
import { type Api, bodyOf, collect, pages, taggedBodyOf } from '../api.ts'
import type { Group, Impact } from '../api-types.ts'
import {
  type JsonObject,
  mustBeNames,
  mustBeObject,
  mustBeString,
  mustBeWholeNumber,
  readDocument,
} from '../documents.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure, isApiError, locate } from '../failures.ts'
import { unifiedDiff } from '../line-diff.ts'
import { impactNotes } from './impact.ts'
import type { Manifest } from './manifests.ts'
import { printFile } from './nodes.ts'
import { type Step, unchanged } from './steps.ts'

type GroupFile = {
  description: string
  selector: string
  config: string | null
  mergePatch: JsonObject
  forgetAfterHours: number | null
}
/** `coming`: configs that the same plan makes. */
type World = { api: Api; coming: ReadonlySet<string> }

const EMPTY: GroupFile = {
  description: '',
  selector: '',
  config: null,
  mergePatch: {},
  forgetAfterHours: null,
}
const MEMBERS = {
  description: mustBeString,
  selector: mustBeSelector,
  config: (value: unknown) => (value === null ? null : mustBeString(value)),
  mergePatch: mustBeObject,
  forgetAfterHours: (value: unknown) => (value === null ? null : mustBeWholeNumber(value)),
}
const DRY_RUN = { dryRun: '1' as const }

function mustBeSelector(value: unknown): string | null {
  if (typeof value !== 'string') return mustBeString(value)
  const parsed = parseSelector(value)
  return parsed.ok ? null : `is not understood at column ${parsed.column}: ${parsed.message}`
}

export const allGroups = (api: Api): Promise<Group[]> =>
  collect(pages((query) => bodyOf(api.GET('/api/v1/groups', { params: { query } }))))

export const groupFileOf = (group: Group): GroupFile => ({
  description: group.description,
  selector: group.selector,
  config: group.config,
  mergePatch: group.mergePatch,
  forgetAfterHours: group.forgetAfterHours,
})

export async function planGroup({ api, coming }: World, manifest: Manifest): Promise<Step> {
  const { kind, name, file, text } = manifest
  const given = { ...EMPTY, ...readDocument(file, text, MEMBERS) }
  const wanted = { ...given, selector: oneSpelling(given.selector) }
  const { current, etag } = await taggedGroup(api, name)
  if (isDeepStrictEqual(current, wanted)) return unchanged(kind, name, file)
  const isReady = wanted.config === null || !coming.has(wanted.config)
  const impact = isReady
    ? impactNotes(
        await locate(file, save(api, { name, wanted, etag, dryRun: true }) as Promise<Impact>),
      )
    : [`Whom it touches is known when ${wanted.config} is there.`]
  return {
    kind,
    name,
    file,
    action: current ? 'update' : 'create',
    diff: unifiedDiff(current ? printFile(current) : '', printFile(wanted)),
    notes: impact,
    run: async () => {
      await locate(file, save(api, { name, wanted, etag, dryRun: false }))
      return `group ${name}: ${current ? 'changed' : 'made'}`
    },
  }
}

/** As the API spells them: else the same selector would be a change each time. */
function oneSpelling(text: string): string {
  const parsed = parseSelector(text)
  return parsed.ok ? formatSelector(parsed.selector) : text
}

async function taggedGroup(api: Api, name: string) {
  try {
    const params = { path: { name } }
    const { body, etag } = await taggedBodyOf(api.GET('/api/v1/groups/{name}', { params }))
    return { current: groupFileOf(body), etag }
  } catch (error) {
    if (isApiError(error, 'group_not_found')) return { current: null, etag: null }
    throw error
  }
}

/** `etag`: of the group that it replaces; null makes one. */
type Saving = { name: string; wanted: GroupFile; etag: string | null; dryRun: boolean }

function save(api: Api, { name, wanted, etag, dryRun }: Saving): Promise<Group | Impact> {
  const query = dryRun ? DRY_RUN : {}
  if (etag === null) {
    return bodyOf(api.POST('/api/v1/groups', { params: { query }, body: { name, ...wanted } }))
  }
  const params = { path: { name }, query, header: { 'if-match': etag } }
  return bodyOf(api.PUT('/api/v1/groups/{name}', { params, body: wanted }))
}

export async function planRemoval(api: Api, name: string): Promise<Step> {
  const path = { name }
  const { body, etag } = await taggedBodyOf(api.GET('/api/v1/groups/{name}', { params: { path } }))
  const header = { 'if-match': etag }
  const params = { path, header, query: DRY_RUN }
  const impact = await bodyOf(api.DELETE('/api/v1/groups/{name}', { params }))
  return {
    kind: 'group',
    name,
    file: null,
    action: 'delete',
    diff: unifiedDiff(printFile(groupFileOf(body)), ''),
    notes: impactNotes(impact),
    run: async () => {
      await api.DELETE('/api/v1/groups/{name}', { params: { path, header } })
      return `group ${name}: removed`
    },
  }
}

const ORDER_MEMBERS = { names: mustBeNames }
type Order = { names: string[] }

/** The named groups in this order; others after them, as they are now. `groups`: those the plan leaves. */
export async function planOrder(
  api: Api,
  { kind, name, file, text }: Manifest,
  groups: readonly string[],
): Promise<Step> {
  const { names = [] } = readDocument(file, text, ORDER_MEMBERS) as Partial<Order>
  const unknown = names.filter((one) => !groups.includes(one))
  if (unknown.length > 0) {
    throw new Failure(`${file}: there is no group "${unknown.join('", "')}".`, EXIT.rejected)
  }
  const { body: before, etag } = await taggedBodyOf(api.GET('/api/v1/group-order'))
  const isSettled = sameSet(before.names, groups)
  const base = { names: isSettled ? before.names : [...groups] }
  const after = { names: withRest(names, base.names) }
  if (isDeepStrictEqual(base, after)) return unchanged(kind, name, file)
  const params = { header: { 'if-match': etag }, query: DRY_RUN }
  const notes = isSettled
    ? impactNotes((await bodyOf(api.PUT('/api/v1/group-order', { params, body: after }))) as Impact)
    : ['Whom it touches is known when the groups are as they will be.']
  return {
    kind,
    name,
    file,
    action: 'update',
    diff: unifiedDiff(printFile(base), printFile(after)),
    notes,
    run: () => reorder(api, names, before.names),
  }
}

/** The groups may be others by now, those of this very plan; in another order they may not be. */
async function reorder(api: Api, names: readonly string[], planned: readonly string[]) {
  const { body: now, etag } = await taggedBodyOf(api.GET('/api/v1/group-order'))
  const [was, is] = [
    planned.filter((name) => now.names.includes(name)),
    now.names.filter((name) => planned.includes(name)),
  ]
  if (!isDeepStrictEqual(was, is)) {
    throw new Failure('Somebody else ordered the groups meanwhile. Apply again.', EXIT.conflict)
  }
  const params = { header: { 'if-match': etag } }
  const body = { names: withRest(names, now.names) }
  await api.PUT('/api/v1/group-order', { params, body })
  return 'group-order: changed'
}

const withRest = (names: readonly string[], all: readonly string[]) => [
  ...names,
  ...all.filter((name) => !names.includes(name)),
]
const sameSet = (a: readonly string[], b: readonly string[]) =>
  isDeepStrictEqual(a.toSorted(), b.toSorted())
