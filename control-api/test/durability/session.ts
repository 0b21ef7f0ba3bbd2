// SPDX-License-Identifier: MIT
// Speaks to the public API of a service that is killed again and again.

export type Answer = {
  status: number
  etag: string | null
  body: Record<string, unknown>
  /** From the call to the last byte of the answer, before we read what it says. */
  ms: number
}

/** As a browser would send them back. */
export const cookiesOf = ({ headers }: Response): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')

export class Session {
  #url: string
  #cookie = ''

  private constructor(url: string) {
    this.#url = url
  }

  static async first(url: string, oneTime: string, password: string): Promise<Session> {
    const session = new Session(url)
    await session.#signIn(oneTime)
    await session.must('PUT', '/session/password', {
      currentPassword: oneTime,
      newPassword: password,
    })
    await session.#signIn(password)
    return session
  }

  /** The same session, at where the service listens now: an acknowledged sign-in is a write, too. */
  async continueAt(url: string): Promise<void> {
    this.#url = url
    const { status } = await this.ask('GET', '/session')
    if (status !== 200) throw new Error(`the session is gone: GET /session answered ${status}`)
  }

  async #signIn(password: string): Promise<void> {
    const response = await fetch(`${this.#url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.#url },
      body: JSON.stringify({ username: 'admin', password }),
    })
    if (response.status !== 201) throw new Error(`no sign-in: ${await response.text()}`)
    this.#cookie = cookiesOf(response)
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const startedAt = performance.now()
    const response = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: {
        origin: this.#url,
        cookie: this.#cookie,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const ms = performance.now() - startedAt
    const said = bytes.length > 0 ? JSON.parse(bytes.toString('utf8')) : {}
    return { status: response.status, etag: response.headers.get('etag'), body: said, ms }
  }

  /** What is no JSON, by its whole path. */
  async read(path: string): Promise<string> {
    const response = await fetch(`${this.#url}${path}`, { headers: { cookie: this.#cookie } })
    const text = await response.text()
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${text}`)
    return text
  }

  async must(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.ask(method, path, body)
    if (answer.status < 300) return answer
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  }
}
