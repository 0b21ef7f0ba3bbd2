// SPDX-License-Identifier: MIT
// expect(node).toBeServing('/path', { header: ['X-Farm', 'yes'] }): asks the real node over the wire
// until it answers so.
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect as base } from '@playwright/test'
import type { FarmNode } from '../../scripts/farm/farm.ts'

/** Longer than a confirmed apply on a busy machine, shorter than a test. */
const SERVING_WITHIN_MS = 20_000
const POLL_MS = 100

export type Serving = { status?: number; header?: [name: string, value: string | null] }

function fetchHead(url: string): Promise<IncomingMessage | Error> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume()
      resolve(response)
    })
    request.on('error', resolve)
  })
}

function difference(answer: IncomingMessage | Error, { status = 200, header }: Serving): string {
  if (answer instanceof Error) return answer.message
  if (answer.statusCode !== status) return `status ${answer.statusCode}, expected ${status}`
  if (!header) return ''
  const [name, value] = header
  const found = answer.headers[name.toLowerCase()] ?? null
  return found === value ? '' : `${name}: ${found}, expected ${value}`
}

export const expect = base.extend({
  async toBeServing(node: FarmNode, path: string, serving: Serving = {}) {
    const deadline = performance.now() + SERVING_WITHIN_MS
    let wrong = difference(await fetchHead(node.url + path), serving)
    while (wrong !== '' && performance.now() < deadline) {
      await sleep(POLL_MS)
      wrong = difference(await fetchHead(node.url + path), serving)
    }
    return {
      pass: wrong === '',
      message: () => `${node.name} at ${node.url}${path}: ${wrong || 'served so'}`,
    }
  },
})
