// SPDX-License-Identifier: MIT
// Walks through a sign-in as a browser does: follows redirects, keeps cookies by origin and path, sends
// forms, and does not send a SameSite=Strict cookie along when another site leads the way.
import type { Service } from '../../../src/app.ts'
import { ORIGIN } from '../../helper.ts'

type Cookie = { value: string; path: string; isStrict: boolean }
export type Page = { url: URL; status: number; body: string }
type Request = { method: 'GET' | 'POST'; form?: Record<string, string>; from: string | null }
type Answer = { status: number; cookies: string[]; location: string | null; body: string }

export const PUBLIC_URL = 'http://localhost'

export class Browser {
  readonly #app: Service['app']
  readonly #jar = new Map<string, Map<string, Cookie>>()

  constructor({ app }: Pick<Service, 'app'>) {
    this.#app = app
  }

  /** Opens an address and follows where it leads, until a page; stops before `stopAt`. */
  async open(address: string, stopAt = '\0', request: Partial<Request> = {}): Promise<Page> {
    let url = new URL(address, PUBLIC_URL)
    let sent: Request = { method: 'GET', from: null, ...request }
    for (let hops = 0; hops < 20; hops += 1) {
      if (url.href.startsWith(stopAt)) return { url, status: 0, body: '' }
      // The console's pages are no part of this: only the API is there.
      if (url.origin === PUBLIC_URL && !url.pathname.startsWith('/api/')) {
        return { url, status: 200, body: '' }
      }
      const answer = await this.#send(url, sent)
      this.#keep(url, answer.cookies)
      if (answer.location === null) return { url, status: answer.status, body: answer.body }
      sent = { method: 'GET', from: url.origin }
      url = new URL(answer.location, url)
    }
    throw new Error('redirected without end')
  }

  /** Types a name and a password at the provider, and agrees to what it asks. */
  async signInAt(page: Page, login: string, stopAt?: string): Promise<Page> {
    let current = page
    for (let forms = 0; forms < 4 && current.body.includes('<form'); forms += 1) {
      const action = /action="([^"]+)"/.exec(current.body)?.[1] ?? ''
      const prompt = /name="prompt" value="(\w+)"/.exec(current.body)?.[1] ?? ''
      const form = { prompt, ...(prompt === 'login' && { login, password: 'any' }) }
      const from = current.url.origin
      const target = new URL(action, current.url).href
      current = await this.open(target, stopAt, { method: 'POST', form, from })
    }
    return current
  }

  async signIn(login: string, next = '/'): Promise<Page> {
    const start = `/api/v1/session/oidc?next=${encodeURIComponent(next)}`
    return await this.signInAt(await this.open(start), login)
  }

  cookiesOf(address: string, isCrossSite = false): string {
    const url = new URL(address, PUBLIC_URL)
    return [...(this.#jar.get(url.origin) ?? [])]
      .filter(
        ([, { path, isStrict }]) => url.pathname.startsWith(path) && !(isStrict && isCrossSite),
      )
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
  }

  /** As somebody who copied the cookies puts them back. */
  restore(copy: Map<string, Map<string, Cookie>>): void {
    for (const [origin, cookies] of copy) this.#jar.set(origin, new Map(cookies))
  }
  copy(): Map<string, Map<string, Cookie>> {
    return new Map([...this.#jar].map(([origin, cookies]) => [origin, new Map(cookies)]))
  }

  /** Who the console would show. */
  async session() {
    const url = '/api/v1/session'
    const { body } = await this.#app.inject({ url, headers: { cookie: this.cookiesOf(url) } })
    return JSON.parse(body)
  }

  /** As the console's own pages call the API. */
  async call(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) {
    const url = `/api/v1${path}`
    const headers = { cookie: this.cookiesOf(url), origin: ORIGIN }
    const response = await this.#app.inject({ method, url, headers, ...(payload && { payload }) })
    this.#keep(new URL(url, PUBLIC_URL), [response.headers['set-cookie'] ?? []].flat())
    return response
  }

  take(setCookie: string | string[] | undefined): void {
    this.#keep(new URL('/api/v1/session', PUBLIC_URL), [setCookie ?? []].flat())
  }

  async #send(url: URL, { method, form, from }: Request): Promise<Answer> {
    const cookie = this.cookiesOf(url.href, from !== null && from !== url.origin)
    const headers = { ...(cookie && { cookie }) }
    const path = url.pathname + url.search
    if (url.origin === PUBLIC_URL) {
      const response = await this.#app.inject({ method, url: path, headers })
      const location = response.headers.location ?? null
      const cookies = [response.headers['set-cookie'] ?? []].flat()
      return { status: response.statusCode, cookies, location, body: response.body }
    }
    const body = form ? new URLSearchParams(form) : null
    const response = await fetch(url, { method, headers, body, redirect: 'manual' })
    return {
      status: response.status,
      cookies: response.headers.getSetCookie(),
      location: response.headers.get('location'),
      body: await response.text(),
    }
  }

  #keep(url: URL, cookies: string[]): void {
    const jar = this.#jar.get(url.origin) ?? new Map<string, Cookie>()
    this.#jar.set(url.origin, jar)
    for (const line of cookies) {
      const [pair = '', ...attributes] = line.split(/; */)
      const at = pair.indexOf('=')
      const attribute = (name: string) =>
        attributes.find((one) => one.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
      const isGone = Date.parse(attribute('expires') ?? '9999') < Date.now()
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
      if (isGone || attribute('max-age') === '0') jar.delete(name)
      else {
        const isStrict = attribute('samesite')?.toLowerCase() === 'strict'
        jar.set(name, { value, path: attribute('path') ?? '/', isStrict })
      }
    }
  }
}
