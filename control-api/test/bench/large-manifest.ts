// SPDX-License-Identifier: MIT
// A release of very many files: what its manifest costs the service step by step, and for how long others wait meanwhile;
// and what a folder of so many costs farmctl.
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Made, makeManyNames, pathOf, writeManifestText } from './made-files.ts'
import type { Cost, ReleaseFarm } from './release-farm.ts'

export type Step = Cost & { name: string; othersMs: number[] }
type Wish = { files: number; say: (line: string) => void }

const PART_BYTES = 8 * 1024 * 1024
const OTHERS_EVERY_MS = 20

export async function measureManifest(farm: ReleaseFarm, { files, say }: Wish): Promise<Step[]> {
  const steps: Step[] = []
  const step = async <T>(name: string, work: () => Promise<T>) => {
    say(name)
    const { othersMs, result: cost } = await besideOthers(farm, () => farm.measured(work))
    steps.push({ name, othersMs, ...cost })
    const { seconds, cpuMs, serviceBytes } = cost
    // A million take minutes: who ends it early has something.
    say(
      `  ${seconds.toFixed(1)} s, CPU ${cpuMs} ms, at most ${(serviceBytes / 2 ** 20).toFixed(0)} MiB`,
    )
    return cost.result
  }
  const [one, other] = [join(farm.home, 'one.ndjson'), join(farm.home, 'other.ndjson')]
  const made = await writeManifestText(one, files)
  const get = (path: string) => ask(farm, 'GET', path)
  const of = `/manifests/${made.sha256}`

  await step('the text comes', () => putText(farm, made))
  await step('it is looked at', () => ask(farm, 'PUT', of))
  await step('what is missing, all of it', async () => {
    for (let next: string | null = ''; next !== null; ) {
      const cursor: string = next === '' ? '' : `&cursor=${next}`
      next = (await get(`${of}/missing?limit=10000${cursor}`)).nextCursor as string | null
    }
  })
  const folder = pathOf(Math.floor(files / 2)).replace(/[^/]*$/, '')
  await step('a folder in its middle', () => get(`${of}/files?prefix=${folder}`))
  const changed = await writeManifestText(other, files, 'other')
  await putText(farm, changed)
  await ask(farm, 'PUT', `/manifests/${changed.sha256}`)
  await step('what another one changes of it, counted', () =>
    get(`/manifests/${changed.sha256}/change-totals?from=${made.sha256}`),
  )
  await Promise.all([one, other].map((path) => rm(path)))
  steps.push(await pushOfMany(farm, { files, say }))
  return steps
}

async function pushOfMany(farm: ReleaseFarm, { files, say }: Wish): Promise<Step> {
  const root = join(farm.home, 'many')
  say(`${files} names of files are made`)
  await makeManyNames(root, files)
  const name = 'farmctl pushes a folder of so many names'
  say(name)
  const { othersMs, result: cost } = await besideOthers(farm, () => farm.push('many', root))
  await rm(root, { recursive: true })
  return { name, othersMs, ...cost }
}

/** Others, who ask the service for next to nothing, and how long each waited. */
async function besideOthers<T>(farm: ReleaseFarm, work: () => Promise<T>) {
  const othersMs: number[] = []
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      const from = performance.now()
      await fetch(`${farm.service.url}/api/v1/health`).then((answer) => answer.arrayBuffer())
      othersMs.push(performance.now() - from)
      await sleep(OTHERS_EVERY_MS)
    }
  })()
  try {
    return { othersMs, result: await work() }
  } finally {
    isOver = true
    await asking
  }
}

async function putText(farm: ReleaseFarm, { path, sha256, bytes }: Made): Promise<void> {
  const file = await open(path, 'r')
  try {
    for (let at = 0; at < bytes; at += PART_BYTES) {
      const part = Buffer.allocUnsafe(Math.min(PART_BYTES, bytes - at))
      await file.read(part, 0, part.length, at)
      const range = `bytes ${at}-${at + part.length - 1}/${bytes}`
      const headers = { 'content-type': 'application/octet-stream', 'content-range': range }
      await ask(farm, 'PUT', `/blobs/${sha256}`, { headers, body: part })
    }
  } finally {
    await file.close()
  }
}

type Said = { headers: Record<string, string>; body: Buffer<ArrayBuffer> }

async function ask(farm: ReleaseFarm, method: string, path: string, said?: Said) {
  const authorization = `Bearer ${farm.token}`
  const answer = await fetch(`${farm.service.url}/api/v1${path}`, {
    ...{ method, ...said },
    headers: { authorization, ...said?.headers },
  })
  const body = (await answer.json()) as Record<string, unknown>
  if (answer.ok) return body
  throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(body)}`)
}
