// SPDX-License-Identifier: MIT
// What a node would answer to URLs with what it has, and with another text. farmstead-node says it, here; the node is not asked.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { type ConfigError, NodeIdSchema } from '../../api-shapes/common.ts'
import { NodeNotFound } from '../../api-shapes/errors.ts'
import type { Database } from '../../db/database.ts'
import type {
  OpenPreviews,
  Preview,
  Previews,
  ReadGrouping,
  SinceOf,
  VersionSince,
} from '../../fleet/config-ports.ts'
import type { App } from '../../http/app-types.ts'
import { requirePermission } from '../../http/require-permission.ts'
import { type RenderTarget, targetOf } from '../../labels/grouping.ts'
import { NodeCheckUnavailable } from '../../node-check/errors.ts'
import type { ExplainedUrl, FoundByNode, NodeExplain } from '../../node-check/node-explain.ts'
import { activeNode } from '../../node-identity/store/nodes.ts'
import { limits } from '../../plugins/limits.ts'
import {
  type Explained,
  type ExplainedPlace,
  ExplainSchema,
  ExplanationSchema,
} from './explain-schema.ts'
import { versionGiven } from './version-given.ts'

type Deps = {
  db: Kysely<Database>
  readGrouping: ReadGrouping
  openPreviews: OpenPreviews
  explain: NodeExplain
  sinceOf: SinceOf
}

export const nodeExplainRoutes = (deps: Deps) => async (app: App) => {
  const { db, readGrouping, openPreviews, sinceOf } = deps
  app.post(
    '/nodes/:id/explain',
    {
      config: {
        permission: 'nodes:read',
        rateLimit: limits.expensive,
        heavy: true,
        idempotency: false,
        errors: [NodeNotFound, NodeCheckUnavailable],
      },
      schema: {
        operationId: 'explainUrls',
        tags: ['nodes'],
        summary: 'What a node would answer to URLs, by which rules, and what with another text',
        description:
          'For a GET of a stranger: without a password, a Referer or an address that a rule names. The files are taken to be there. ' +
          '`before` is with what the node was given last, `after` with the text in its place. Nothing is stored, and the node is not asked.',
        params: Type.Object({ id: NodeIdSchema }),
        body: ExplainSchema,
        response: { 200: ExplanationSchema },
      },
    },
    async ({ params: { id }, body: { urls, text }, user }) => {
      requirePermission(user, 'configs:read')
      const node = await activeNode(db, id)
      const previews = openPreviews()
      const target = targetOf(await readGrouping(db), node)
      const version = await versionGiven(db, id)
      const has = version && (await previews.render(version, target))
      const before = has && (await explained(deps, previews, has, urls))
      const after =
        text === undefined ? null : await explainedText(deps, { previews, text, target }, urls)
      const pointers = (before?.urls ?? []).flatMap((one) => ('error' in one ? [] : allOf(one)))
      const since = version ? await sinceOf(version, pointers) : NO_VERSIONS
      const viewBefore = before && viewer(previews, before, since)
      const viewAfter = after && viewer(previews, after, NO_VERSIONS)
      return {
        ...{ nodeId: id, version, errors: after?.errors ?? [] },
        items: urls.map((url, i) => ({
          ...{ url, error: wrongWith(before?.urls[i] ?? after?.urls[i]) },
          ...{ before: viewBefore?.(i) ?? null, after: viewAfter?.(i) ?? null },
        })),
      }
    },
  )
}

const NO_VERSIONS: ReadonlyMap<string, VersionSince> = new Map()

type Answers = { preview: Preview; urls: readonly ExplainedUrl[]; errors: ConfigError[] }
type OfText = { previews: Previews; text: string; target: RenderTarget }

async function explainedText(
  deps: Deps,
  { previews, text, target }: OfText,
  urls: readonly string[],
): Promise<Answers | Unreadable> {
  const errors = previews.syntaxErrors(text)
  if (errors.length > 0) return { preview: null, urls: [], errors }
  return await explained(deps, previews, previews.renderText(text, target), urls)
}

type Unreadable = { preview: null; urls: readonly []; errors: ConfigError[] }

async function explained(
  { explain }: Deps,
  previews: Previews,
  preview: Preview,
  urls: readonly string[],
): Promise<Answers> {
  if (preview.errors.length > 0) return { preview, urls: [], errors: preview.errors }
  const result = await explain(preview.text, urls)
  if (result.verdict === 'unavailable') throw new NodeCheckUnavailable(result.message)
  if (result.verdict === 'explained') return { preview, urls: result.urls, errors: [] }
  return { preview, urls: [], errors: (await previews.check(preview, 1)) ?? [] }
}

const wrongWith = (one: ExplainedUrl | undefined): string | null =>
  one !== undefined && 'error' in one ? one.error : null

const allOf = ({ rules, unread, headers }: FoundByNode): string[] => [
  ...rules,
  ...unread,
  ...headers.map(({ from }) => from).filter((pointer) => pointer !== ''),
]

function viewer(
  previews: Previews,
  { preview, urls }: Answers | Unreadable,
  since: ReadonlyMap<string, VersionSince>,
) {
  const places = preview === null ? () => null : previews.placesIn(preview)
  const placeOf = (pointer: string): ExplainedPlace => {
    const { line = 0, column = 0, from = null } = places(pointer) ?? {}
    return { pointer, line, column, from, since: from ? null : (since.get(pointer) ?? null) }
  }
  return (i: number): Explained | null => {
    const one = urls[i]
    if (one === undefined || 'error' in one) return null
    const { status, location, path, files, rules, unread, headers } = one
    return {
      ...{ status, location: location ?? '', path: path ?? '' },
      files: files.map((file) => file ?? UNREADABLE_NAME),
      ...{ rules: rules.map(placeOf), unread: unread.map(placeOf) },
      headers: headers.map(({ name, value, from }) => ({
        ...{ name, value, from: from === '' ? null : placeOf(from) },
      })),
    }
  }
}

/** Names of files need not be text. */
const UNREADABLE_NAME = '(a name that is no text)'
