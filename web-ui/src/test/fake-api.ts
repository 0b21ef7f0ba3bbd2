// SPDX-License-Identifier: MIT
// Stands in for the control plane at the border of the console: fetch. A request nobody answers
// fails the test that made it.
import { vi } from 'vitest'

export type ApiRequest = {
  method: string
  path: string
  query: URLSearchParams
  body: unknown
  headers: Headers
}
type Answer = Response | Promise<Response>
export type Handlers = Record<string, (request: ApiRequest) => Answer>

export type FakeApi = {
  requests: ApiRequest[]
  /** Replaces or adds answers, as when something changes on the server. */
  answer: (handlers: Handlers) => void
}

export function fakeApi(first: Handlers): FakeApi {
  const handlers: Handlers = { ...first }
  const requests: ApiRequest[] = []
  vi.stubGlobal('fetch', async (input: Request) => {
    const url = new URL(input.url)
    const path = url.pathname.replace('/api/v1', '')
    const body: unknown = input.method === 'GET' ? undefined : await readJson(input)
    const request = {
      method: input.method,
      path,
      query: url.searchParams,
      body,
      headers: input.headers,
    }
    requests.push(request)
    const handler = handlers[`${input.method} ${path}`]
    if (handler === undefined) throw new Error(`no answer for ${input.method} ${path}`)
    return handler(request)
  })
  return { requests, answer: (more) => Object.assign(handlers, more) }
}

async function readJson(input: Request): Promise<unknown> {
  const text = await input.text()
  return text === '' ? undefined : JSON.parse(text)
}

export const json = (body: unknown, headers: Record<string, string> = {}, status = 200) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

export const problem = (status: number, code: string, detail: string) =>
  new Response(
    JSON.stringify({
      type: 'about:blank',
      title: 'Refused',
      status,
      code,
      detail,
      requestId: 'req-7',
    }),
    { status, headers: { 'content-type': 'application/problem+json' } },
  )

export const noAnswer = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'))
export const never = (): Promise<Response> => new Promise(() => {})
