// SPDX-License-Identifier: MIT
// expect(node).toBeServing('/path', { header: ['X-Farm', 'yes'], body: 'v1' }): asks the real node over
// the wire until it answers so.
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExpectMatcherState } from '@playwright/test'
import type { FarmNode } from '../../scripts/farm/farm.ts'
import { lookUntil } from './wait.ts'

/** Longer than a confirmed apply on a busy machine, shorter than a test. */
const SERVING_WITHIN_MS = 20_000
const SHOWN_CHARACTERS = 80

export type Serving = {
  status?: number
  header?: [name: string, value: string | null]
  /** The whole of it. */
  body?: string
}
type Answer = { status: number; headers: Record<string, unknown>; body: string }

function fetchPage(url: string): Promise<Answer | Error> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      const { statusCode = 0, headers } = response
      text(response).then((body) => resolve({ status: statusCode, headers, body }), resolve)
    })
    request.on('error', resolve)
  })
}

function difference(answer: Answer | Error, { status = 200, header, body }: Serving): string {
  if (answer instanceof Error) return answer.message
  if (answer.status !== status) return `status ${answer.status}, expected ${status}`
  if (body !== undefined && answer.body !== body) {
    const found = JSON.stringify(answer.body.slice(0, SHOWN_CHARACTERS))
    return `body ${found}, expected ${JSON.stringify(body.slice(0, SHOWN_CHARACTERS))}`
  }
  if (!header) return ''
  const [name, value] = header
  const found = answer.headers[name.toLowerCase()] ?? null
  return found === value ? '' : `${name}: ${found}, expected ${value}`
}

export async function toBeServing(
  this: ExpectMatcherState,
  { name, url }: Pick<FarmNode, 'name' | 'url'>,
  path: string,
  serving: Serving = {},
) {
  const look = async () => difference(await fetchPage(url + path), serving)
  const wrong = await lookUntil(look, { withinMs: SERVING_WITHIN_MS, isNot: this.isNot })
  const said = wrong || 'is served just so, and should not be'
  return { pass: wrong === '', message: () => `${name} at ${url}${path}: ${said}` }
}
