// SPDX-License-Identifier: MIT
// Searching among the requests of nodes, for a while. Who began a search alone reads it, as long as its nodes are within
// their scope.
import { Type } from 'typebox'
import { type Scope, scopeOf } from '../../access/scope.ts'
import { defineError, type Refusal } from '../../api-shapes/errors.ts'
import type { Write } from '../../audit/write.ts'
import {
  MOST_NODES,
  MOST_SEARCHES,
  type RequestSearches,
  type Search,
} from '../../fleet/request-searches.ts'
import { actorOf } from '../../http/actor.ts'
import type { App, SignedInUser } from '../../http/app-types.ts'
import { requirePermission } from '../../http/require-permission.ts'
import { limits } from '../../plugins/limits.ts'
import { BadFilter, filterOf, someOfAll } from './request-search-rules.ts'
import {
  DEFAULT_SECONDS,
  type FoundRequest,
  RequestSearchSchema,
  type RequestSearchView,
  SearchIdSchema,
  SearchQuerySchema,
  type StartSearch,
  StartSearchSchema,
} from './request-search-schema.ts'
import { viewRequest } from './request-view.ts'

type Selected = { id: string; name: string; running: { config: string } | null }
type Deps = {
  now: () => number
  write: Write
  searches: RequestSearches
  /** The nodes that these words mean, within the scope; and what may be wrong with the words. */
  select: (of: string, scope: Scope) => Promise<readonly Selected[]>
  selectErrors: readonly Refusal[]
  isConnected: (nodeId: string) => boolean
  capabilitiesOf: (nodeIds: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
  /** Which of these somebody may see. */
  idsWithin: (nodeIds: readonly string[], scope: Scope) => Promise<readonly string[]>
}

const SearchNotFound = defineError(
  404,
  'search_not_found',
  'No such search',
  (id: string) =>
    `You have no search ${id}: it ended more than five minutes ago, others of yours took its place, or not all of its nodes are within your scope any more. Begin another.`,
)
const NothingToSearch = defineError(
  409,
  'nothing_to_search',
  'No node can be searched',
  (why: string) => why,
)
const TooManySearches = defineError(
  409,
  'too_many_searches',
  'Too many searches at once',
  () =>
    `${MOST_SEARCHES} searches are under way, by anybody. Each ends by itself within ten minutes, and fifteen seconds after nobody looks: try again then.`,
)
const tags = ['metrics']
const params = Type.Object({ id: SearchIdSchema })
const permission = 'requests:read' as const
/** Told by hello, of nodes that can. */
const CAPABILITY = 'requestSearch'
/** Of more connected nodes no more are asked what they can. */
const MOST_CANDIDATES = 4 * MOST_NODES
const SHOWN_AT_TOP = 10

type Counted = Pick<RequestSearchView['nodes'], 'selected' | 'connected' | 'tooOld'>
/** What is known of a search besides what it finds. */
type Begun = { startedAt: string; nodes: Counted }

export const requestSearchRoutes = (deps: Deps) => async (app: App) => {
  const { now, write, searches } = deps
  const begun = new WeakMap<Search, Begun>()

  async function choose(asked: StartSearch, scope: Scope) {
    const named = await deps.select(asked.of ?? 'farm', scope)
    const { config } = asked
    const selected =
      config === undefined ? named : named.filter(({ running }) => running?.config === config)
    const connected = selected.filter(({ id }) => deps.isConnected(id))
    const some = someOfAll(connected, MOST_CANDIDATES)
    const capabilities = await deps.capabilitiesOf(some.map(({ id }) => id))
    const able = some.filter(({ id }) => capabilities.get(id)?.includes(CAPABILITY))
    const counted: Counted = {
      selected: selected.length,
      connected: connected.length,
      tooOld: some.length - able.length,
    }
    if (able.length === 0) throw new NothingToSearch(whyNothing(asked, counted))
    return { nodes: able, counted }
  }

  async function own(id: string, user: SignedInUser | null): Promise<Search> {
    const search = searches.ask(id, ownerOf(user))
    if (!search) throw new SearchNotFound(id)
    const scope = scopeOf(user)
    const ids = [...search.nodes.keys()]
    const isWithin = async () => (await deps.idsWithin(ids, scope)).length === ids.length
    const isAboutClients = search.tellsClients || search.filter.client !== undefined
    const mayRead = !isAboutClients || user?.permissions.includes('requests:clients')
    if (mayRead && (!scope || (await isWithin()))) return search
    searches.end(search)
    throw new SearchNotFound(id)
  }

  app.post(
    '/request-searches',
    {
      config: {
        permission,
        scope: 'nodes',
        rateLimit: limits.expensive,
        idempotency: false,
        errors: [...deps.selectErrors, BadFilter, NothingToSearch, TooManySearches],
      },
      schema: {
        operationId: 'startRequestSearch',
        tags,
        summary: 'Begin to search among the requests of nodes, for a while',
        description:
          'Requests that end from now on, on connected nodes: of each node at most 50 a second, of a search 250, chosen by chance; what was left out is counted. Ask for them each second; fifteen seconds after the last question it ends. A person has three at a time, the oldest ends. The audit has who searched for what.',
        body: StartSearchSchema,
        response: { 201: RequestSearchSchema },
      },
    },
    async (request, reply) => {
      const { body: asked, user } = request
      const filter = filterOf(asked)
      const tellsClients = asked.tellsClients ?? false
      if (tellsClients || filter.client !== undefined) requirePermission(user, 'requests:clients')
      const { nodes, counted } = await choose(asked, scopeOf(user))
      const owner = ownerOf(user)
      const forMs = (asked.seconds ?? DEFAULT_SECONDS) * 1000
      const search = searches.begin({ owner, filter, tellsClients, nodes, forMs })
      if (search === 'full') throw new TooManySearches()
      begun.set(search, { startedAt: new Date(now()).toISOString(), nodes: counted })
      await write(({ emit }) =>
        emit({
          kind: 'session',
          id: owner,
          action: 'requests-searched',
          actor: actorOf(request),
          data: { ...asked, nodes: search.nodes.size },
        }),
      )
      reply.code(201).header('location', `/api/v1/request-searches/${search.id}`)
      return view(search, { after: 0, limit: 0 })
    },
  )

  app.get(
    '/request-searches/:id',
    {
      config: {
        permission,
        scope: 'nodes',
        errors: [SearchNotFound],
      },
      schema: {
        operationId: 'getRequestSearch',
        tags,
        summary: 'What a search of yours has found, and what comes most often',
        params,
        querystring: SearchQuerySchema,
        response: { 200: RequestSearchSchema },
      },
    },
    async ({ params: { id }, query: { after = 0, limit = 500 }, user }) =>
      view(await own(id, user), { after, limit }),
  )

  app.delete(
    '/request-searches/:id',
    {
      config: { permission, scope: 'nodes', errors: [SearchNotFound] },
      schema: {
        operationId: 'endRequestSearch',
        tags,
        summary: 'End a search of yours; what it found can be read for five more minutes',
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ params: { id }, user }, reply) => {
      searches.end(await own(id, user))
      return reply.code(204).send(null)
    },
  )

  function view(search: Search, { after, limit }: { after: number; limit: number }) {
    const { id, found, paths, clients, times, tellsClients, seen, matched, received } = search
    const known = begun.get(search)
    if (!known) throw new Error(`nobody knows how ${id} began`)
    const news = found.filter(({ number }) => number > after)
    // What nodes sent in the same second comes mixed.
    const shown = (limit === 0 ? [] : news.slice(-limit)).toSorted(
      (a, b) => a.request.startedAtUs - b.request.startedAtUs,
    )
    const top = paths.top(SHOWN_AT_TOP)
    return {
      id,
      state: search.isOver ? ('ended' as const) : ('searching' as const),
      leftSeconds: searches.leftMs(search) / 1000,
      tellsClients,
      nodes: {
        ...known.nodes,
        searched: search.nodes.size,
        busy: search.nodesBusy,
        live: [...search.nodes.keys()].filter((nodeId) => searches.isLive(search, nodeId)).length,
      },
      ...{ seen, matched, received },
      next: found.at(-1)?.number ?? after,
      skipped: news.length - shown.length,
      requests: shown.map((one) => viewFound(search, one)),
      topPaths: top.map(({ key, count, overcountAtMost }) => ({
        ...{ path: key, requests: count, overcountAtMost },
      })),
      topClients: tellsClients
        ? clients.top(SHOWN_AT_TOP).map(({ key, count, overcountAtMost }) => ({
            ...{ client: key, requests: count, overcountAtMost },
          }))
        : null,
      times: {
        sampled: times.count,
        p50Seconds: times.quantile(0.5),
        p90Seconds: times.quantile(0.9),
        p99Seconds: times.quantile(0.99),
      },
      startedAt: known.startedAt,
    }
  }
}

function viewFound(
  { nodes }: Search,
  { number, nodeId, request }: Search['found'][number],
): FoundRequest {
  const { host, method, client = null, ...sample } = request
  const nodeName = nodes.get(nodeId)?.name ?? ''
  return { ...viewRequest(sample), number, nodeId, nodeName, host, method, client }
}

function whyNothing(
  { of = 'farm', config }: StartSearch,
  { selected, connected }: Counted,
): string {
  const running = config === undefined ? '' : ` that run ${config}`
  if (selected === 0) return `No nodes${running} are in "${of}", of those that you see.`
  if (connected === 0) return `None of the ${selected} nodes${running} in "${of}" is connected now.`
  return `None of the nodes${running} in "${of}" can search: update them to this release.`
}

/** Nobody has none: every route that asks is behind the access check. */
function ownerOf(user: { id: string } | null): string {
  if (user === null) throw new Error('a public route asked whose searches are meant')
  return user.id
}
