// SPDX-License-Identifier: MIT
// An access log as a plan's URLs and the lines that follow it.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { Failure } from '../failures.ts'
import { dueTimes, type Logged, readLogLine } from './access-log.ts'
import type { Due, LoadUrl } from './plan.ts'
import type { Targets } from './targets.ts'

/** As in server-c/src/load/load_plan.h. */
const REQUESTS_MAX = 2_000_000
const URLS_MAX = 100_000

export type Replay = { urls: LoadUrl[]; due: Due[]; leftOut: number }

/** What a rotation has compressed is read as it is. */
function linesOf(file: string) {
  const bytes = createReadStream(file)
  return createInterface({ input: file.endsWith('.gz') ? bytes.compose(createGunzip()) : bytes })
}

async function readLog(file: string): Promise<{ requests: Logged[]; leftOut: number }> {
  const requests: Logged[] = []
  let leftOut = 0
  for await (const line of linesOf(file)) {
    if (line === '') continue
    const request = readLogLine(line)
    if (!request) leftOut++
    else if (requests.length < REQUESTS_MAX) requests.push(request)
    else throw new Failure(`${file} has more than ${REQUESTS_MAX} requests: cut it into parts.`)
  }
  if (requests.length === 0) {
    throw new Failure(
      `${file}: none of its ${leftOut} lines is a GET or HEAD in common, combined or JSON form.`,
    )
  }
  // Lines are written when answers end.
  return { requests: requests.sort((a, b) => a.atMs - b.atMs), leftOut }
}

/** All of it is asked of `base`, whoever it was asked of then. */
export async function replayOf(
  file: string,
  base: URL,
  { targets, speed }: { targets: Targets; speed: number },
): Promise<Replay> {
  const { requests, leftOut } = await readLog(file)
  const { target, host } = await targets.urlOf(base)
  const times = dueTimes(requests, speed)
  const numbers = new Map<string, number>()
  const urls: LoadUrl[] = []
  const due = requests.map(({ path, head }, at): Due => {
    const key = `${head ? 'HEAD' : 'GET'} ${path}`
    let number = numbers.get(key)
    if (number === undefined) {
      number = urls.length
      if (number === URLS_MAX)
        throw new Failure(`${file} has more than ${URLS_MAX} different URLs.`)
      numbers.set(key, number)
      urls.push({ target, path, host, weight: 1, ...(head ? { head } : {}) })
    }
    return [times[at] ?? 0, number]
  })
  return { urls, due, leftOut }
}
