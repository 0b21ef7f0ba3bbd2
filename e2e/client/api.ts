// SPDX-License-Identifier: MIT
// The public API as one person, or one program, calls it: every route by the types that are generated
// from openapi.json, and what tests do again and again as a method. Whatever is refused throws Refused.
import type { components, paths } from '@farmstead/api-types'
import createClient, { type Client } from 'openapi-fetch'
import { Refused } from './refused.ts'

type Schemas = components['schemas']
export type Node = Schemas['Node']
export type Rollout = Schemas['Rollout']
export type NodeTask = Schemas['NodeTask']
type TaskPage = { items: NodeTask[]; nextCursor: string | null }
export type Role = Schemas['Role']
type Order = NonNullable<
  paths['/api/v1/rollouts']['post']['requestBody']
>['content']['application/json']
export type Strategy = NonNullable<Order['strategy']>
export type Gate = NonNullable<Strategy['gates']>[number]
type Credentials = { username: string; password: string }

/** Five farms that start at once on two cores kept one waiting for more than ten. */
const ANSWER_WITHIN_MS = 30_000
const CONFIG = 'default'
/** Whatever there is now: nobody else is at work in a farm of a test. */
export const ANY_STATE = { header: { 'if-match': '*' } } as const

export class Api {
  readonly call: Client<paths>
  readonly origin: string
  readonly #cookies = new Map<string, string>()
  readonly #token: string | undefined

  /** With a `token` as a program; else as who signs in. */
  constructor(origin: string, { token }: { token?: string } = {}) {
    this.origin = origin
    this.#token = token
    this.call = createClient<paths>({ baseUrl: origin, fetch: (request) => this.#send(request) })
  }

  // --- who calls --------------------------------------------------------------------------------

  async isUp(): Promise<boolean> {
    return await this.call.GET('/api/v1/health').then(
      () => true,
      () => false,
    )
  }

  /** Makes the first administrator, and is them from then on. */
  async setUp({ token, ...credentials }: Credentials & { token: string }): Promise<void> {
    await this.call.POST('/api/v1/setup', { body: { token, ...credentials } })
  }

  async signIn(credentials: Credentials): Promise<void> {
    await this.call.POST('/api/v1/session', { body: credentials })
  }

  /** Adds a user who has chosen `password` already, and returns their own API. */
  async addUser(
    { username, password }: Credentials,
    standing: { roles: Role[]; scope: string | null },
  ): Promise<Api> {
    const made = this.call.POST('/api/v1/users', { body: { username, ...standing } })
    const { oneTimePassword } = await bodyOf(made)
    const theirs = new Api(this.origin)
    await theirs.signIn({ username, password: oneTimePassword })
    await theirs.call.PUT('/api/v1/session/password', {
      body: { currentPassword: oneTimePassword, newPassword: password },
    })
    return theirs
  }

  /** The same session, for a browser. */
  get storageState() {
    const place = { domain: new URL(this.origin).hostname, path: '/', expires: -1 }
    const kind = { httpOnly: true, secure: false, sameSite: 'Strict' as const }
    const cookies = [...this.#cookies].map(([name, value]) => ({ name, value, ...place, ...kind }))
    return { cookies, origins: [] }
  }

  // --- nodes ------------------------------------------------------------------------------------

  async nodes(): Promise<Node[]> {
    return (await bodyOf(this.call.GET('/api/v1/nodes'))).items
  }

  async node(name: string): Promise<Node> {
    const found = (await this.nodes()).find((node) => node.name === name)
    if (!found) throw new Error(`the control plane knows no node "${name}"`)
    return found
  }

  async label(name: string, labels: Record<string, string>): Promise<void> {
    const { id } = await this.node(name)
    const params = { path: { id }, ...ANY_STATE }
    await this.call.PATCH('/api/v1/nodes/{id}', { params, body: { labels } })
  }

  /** The text of the digest that the node runs, as the control plane believes. */
  async effectiveText(id: string): Promise<string | null> {
    const params = { path: { id } }
    return (await bodyOf(this.call.GET('/api/v1/nodes/{id}/effective-config', { params }))).text
  }

  async makeToken(mergePatch: Record<string, unknown>): Promise<string> {
    const body = { mergePatch }
    return (await bodyOf(this.call.POST('/api/v1/enrolment-tokens', { body }))).token
  }

  async keepClone(id: string, keep: string): Promise<void> {
    await this.call.POST('/api/v1/nodes/{id}/clone', { params: { path: { id } }, body: { keep } })
  }

  // --- configs ----------------------------------------------------------------------------------

  /** Of the newest version; null: there is none. */
  async latestNumber(config = CONFIG): Promise<number | null> {
    const params = { path: { name: config }, query: { limit: 1 } }
    const list = await bodyOf(this.call.GET('/api/v1/configs/{name}/versions', { params }))
    return list.items[0]?.number ?? null
  }

  async textOf(number: number, config = CONFIG): Promise<string> {
    const params = { path: { name: config, number } }
    const version = this.call.GET('/api/v1/configs/{name}/versions/{number}', { params })
    return (await bodyOf(version)).text
  }

  /** Saves `text` as the next version and returns its number; of a new name, as the first. */
  async saveVersion(text: string, message = 'For a test', config = CONFIG): Promise<number> {
    const parent = await this.latestNumber(config).catch(absent)
    const params = { path: { name: config } }
    const body = { text, message, parent }
    const saved = this.call.POST('/api/v1/configs/{name}/versions', { params, body })
    return (await bodyOf(saved)).number
  }

  async draft(config = CONFIG): Promise<string> {
    const params = { path: { name: config } }
    return (await bodyOf(this.call.GET('/api/v1/configs/{name}/draft', { params }))).text
  }

  /** Whatever the draft is now, it is `text` then. */
  async writeDraft(text: string, config = CONFIG): Promise<void> {
    const params = { path: { name: config }, ...ANY_STATE }
    await this.call.PUT('/api/v1/configs/{name}/draft', { params, body: { text } })
  }

  // --- rollouts ---------------------------------------------------------------------------------

  /** Without a strategy to all nodes at once. */
  async rollOut(version: number, order: Partial<Order> = {}): Promise<Rollout> {
    const body = { config: CONFIG, version, strategy: { atOnce: true }, ...order }
    return (await bodyOf(this.call.POST('/api/v1/rollouts', { body }))) as Rollout
  }

  async rollout(id: string): Promise<Rollout> {
    return await bodyOf(this.call.GET('/api/v1/rollouts/{id}', { params: { path: { id } } }))
  }

  /** All of its nodes, by wave and name. */
  async rolloutTasks(id: string): Promise<NodeTask[]> {
    const tasks: NodeTask[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = { limit: 500, ...(cursor !== '' && { cursor }) }
      const params = { path: { id }, query }
      const page: TaskPage = await bodyOf(this.call.GET('/api/v1/rollouts/{id}/tasks', { params }))
      tasks.push(...page.items)
      cursor = page.nextCursor
    }
    return tasks
  }

  /** Not only of the newest: their order is that of the control plane's clock, which may have jumped. */
  async freezeAll(): Promise<void> {
    const params = { query: { limit: 100 } }
    const { items } = await bodyOf(this.call.GET('/api/v1/rollouts', { params }))
    for (const { id, endedAt, stateVersion } of items) {
      if (endedAt !== null) continue
      const frozen = { params: { path: { id } }, body: { stateVersion } }
      await this.call.POST('/api/v1/rollouts/{id}/actions/freeze', frozen)
    }
  }

  // --- the wire ---------------------------------------------------------------------------------

  async #send(request: Request): Promise<Response> {
    const { headers } = request
    // Over a new connection each time: the other end may have been killed since.
    headers.set('connection', 'close')
    if (this.#token !== undefined) headers.set('authorization', `Bearer ${this.#token}`)
    else {
      // What changes something with a session must come from the console's own origin.
      headers.set('origin', this.origin)
      headers.set('cookie', [...this.#cookies].map((pair) => pair.join('=')).join('; '))
    }
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
    const response = await fetch(request, { signal, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    if (response.status >= 400) throw await Refused.of(request, response)
    return response
  }

  #keep(line: string): void {
    const pair = line.split(';')[0] ?? ''
    const at = pair.indexOf('=')
    this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

/** The body of an answer that has one. */
export async function bodyOf<Body>(
  call: Promise<{ data?: Body | undefined; response: Response }>,
): Promise<Body> {
  const { data, response } = await call
  if (data === undefined) throw new Error(`${response.url} answered without a body`)
  return data
}

function absent(error: unknown): null {
  if (error instanceof Refused && error.status === 404) return null
  throw error
}
