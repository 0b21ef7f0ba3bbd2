// SPDX-License-Identifier: MIT
// The public API, over a new connection each time: the other end is killed again and again.
import { request } from 'node:http'

const ANSWER_WITHIN_MS = 10_000
const CONFIG = 'default'

type Running = { generation: number; digest: string; version: { number: number } | null }
/** The part of a node that faults are judged by. */
export type NodeView = {
  id: string
  name: string
  connected: boolean
  sync: { state: string; reason: string; desired: Running | null; effective: Running | null }
  lastResult: { outcome: string; code: string | null } | null
  clone: { keep: string | null; incarnations: { incarnation: string }[] } | null
}
type TaskView = { nodeName: string; wave: number; state: string; generation: number | null }
export type RolloutView = {
  id: string
  state: string
  reason: string
  stateVersion: number
  wave: number
  evidence: { verdict: string; message: string } | null
  policy: { maxParallel: number | null }
  tasks: TaskView[]
  endedAt: string | null
}

/** An answer that is an error; what never answered rejects with what the socket said. */
export class Refused extends Error {
  readonly status: number
  constructor(what: string, status: number, body: string) {
    super(`${what} answered ${status}: ${body}`)
    this.status = status
  }
}

type Answer = { status: number; cookie: string | undefined; body: string }

export class Api {
  readonly #origin: string
  #cookie = ''

  constructor(origin: string) {
    this.#origin = origin
  }

  async isUp(): Promise<boolean> {
    const answer = await this.#send('GET', '/health').catch(() => null)
    return answer?.status === 200
  }

  async signIn(password: string): Promise<void> {
    const answer = await this.#must('POST', '/session', { username: 'admin', password })
    this.#cookie = answer.cookie?.split(';')[0] ?? ''
  }

  async setUp(token: string, password: string): Promise<void> {
    await this.#must('POST', '/setup', { token, username: 'admin', password })
    await this.signIn(password)
  }

  async nodes(): Promise<NodeView[]> {
    return (await this.#json<{ items: NodeView[] }>('GET', '/nodes')).items
  }

  /** The text of the digest that the node runs, as the control plane believes. */
  async effectiveText(nodeId: string): Promise<string | null> {
    const answer = await this.#json<{ text: string | null }>(
      'GET',
      `/nodes/${nodeId}/effective-config`,
    )
    return answer.text
  }

  /** Saves `text` as the next version and returns its number. */
  async saveVersion(text: string): Promise<number> {
    const path = `/configs/${CONFIG}/versions`
    const list = await this.#json<{ items: { number: number }[] }>('GET', `${path}?limit=1`)
    const parent = list.items[0]?.number ?? null
    const saved = await this.#json<{ number: number }>('POST', path, {
      text,
      message: 'for a fault',
      parent,
    })
    return saved.number
  }

  /** Without a strategy to all nodes at once. */
  async rollOut(version: number, strategy: object = { atOnce: true }): Promise<RolloutView> {
    const order = { config: CONFIG, version, strategy }
    return await this.#json('POST', '/rollouts', order)
  }

  async rollout(id: string): Promise<RolloutView> {
    return await this.#json('GET', `/rollouts/${id}`)
  }

  /** Not only of the newest: their order is that of the control plane's clock, which may have jumped. */
  async freezeAll(): Promise<void> {
    const { items } = await this.#json<{ items: RolloutView[] }>('GET', '/rollouts?limit=100')
    for (const { id, endedAt, stateVersion } of items) {
      if (endedAt === null) {
        await this.#must('POST', `/rollouts/${id}/actions/freeze`, { stateVersion })
      }
    }
  }

  async makeToken(mergePatch: object): Promise<string> {
    return (await this.#json<{ token: string }>('POST', '/enrolment-tokens', { mergePatch })).token
  }

  async keepClone(nodeId: string, keep: string): Promise<void> {
    await this.#must('POST', `/nodes/${nodeId}/clone`, { keep })
  }

  async #json<T>(method: string, path: string, body?: object): Promise<T> {
    return JSON.parse((await this.#must(method, path, body)).body)
  }

  async #must(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.#send(method, path, body)
    if (answer.status < 300) return answer
    throw new Refused(`${method} ${path}`, answer.status, answer.body)
  }

  #send(method: string, path: string, body?: object): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const headers = {
      cookie: this.#cookie,
      origin: this.#origin,
      ...(body && { 'content-type': 'application/json' }),
    }
    const options = { method, headers, agent: false, timeout: ANSWER_WITHIN_MS }
    const asked = request(`${this.#origin}/api/v1${path}`, options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('error', reject)
      response.on('end', () => {
        const cookie = response.headers['set-cookie']?.find((one) =>
          one.startsWith('farmstead_session='),
        )
        resolve({ status: response.statusCode ?? 0, cookie, body: text })
      })
    })
    asked.on('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer`)))
    asked.on('error', reject)
    asked.end(body && JSON.stringify(body))
    return promise
  }
}
