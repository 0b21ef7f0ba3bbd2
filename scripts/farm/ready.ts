// SPDX-License-Identifier: MIT
// Waits until an address answers.
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 100
const ANSWER_WITHIN_MS = 2000

/** The status of one GET, or null when there is no answer. */
function statusOf(url: string): Promise<number | null> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: ANSWER_WITHIN_MS }, (response) => {
      response.resume()
      resolve(response.statusCode ?? null)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(null))
  })
}

/** True when `url` answers 200 in time; gives up early when `isAlive` says there is nobody to wait for. */
export async function answers(url: string, withinMs: number, isAlive = () => true) {
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline && isAlive()) {
    if ((await statusOf(url)) === 200) return true
    await sleep(POLL_MS)
  }
  return false
}
