// SPDX-License-Identifier: MIT
// The files of a manifest against what is served, in all places, some files at a time.
import pLimit from 'p-limit'
import { entryOf } from '../../../release-store/entries.ts'
import type { Api } from '../../api.ts'
import { linesOf } from '../lines.ts'
import type { Asker } from './ask.ts'
import { type Odd, oddOf } from './judge.ts'
import { type Place, pathsOf } from './urls.ts'

export type Verified = { files: number; answers: number; odd: number; shown: Odd[] }
type Options = {
  places: readonly Place[]
  asker: Asker
  isChosen: (file: number) => boolean
  atOnce: number
  onFile: (files: number) => void
}

/** More of them say nothing more; they are counted. */
const MOST_SHOWN = 1000

export async function verifyManifest(
  api: Api,
  manifest: string,
  options: Options,
): Promise<Verified> {
  const { places, asker, isChosen, atOnce, onFile } = options
  const verified: Verified = { files: 0, answers: 0, odd: 0, shown: [] }
  const limit = pLimit(atOnce)
  const running = new Set<Promise<void>>()

  async function verify(line: string): Promise<void> {
    const file = entryOf(line)
    if (file.type !== 'file') return
    for (const path of pathsOf(file.path)) {
      const answers = await Promise.all(
        places.map(async (place) => ({ place: place.label, answer: await asker.ask(place, path) })),
      )
      const odd = oddOf(`/${path}`, file, answers)
      verified.answers += answers.length
      verified.odd += odd.length
      verified.shown.push(...odd.slice(0, MOST_SHOWN - verified.shown.length))
    }
    verified.files++
    onFile(verified.files)
  }

  let at = 0
  for await (const line of textOf(api, manifest)) {
    if (!line.startsWith(FILE) || !isChosen(at++)) continue
    const work = limit(() => verify(line)).finally(() => running.delete(work))
    running.add(work)
    // Of a million lines, only those that are due are in memory.
    if (running.size >= atOnce) await Promise.race(running)
  }
  await Promise.all(running)
  return verified
}

/** How lines of files begin, and those of links do not. */
const FILE = '{"mode":'

async function* textOf(api: Api, manifest: string): AsyncGenerator<string> {
  const answer = await api.send(new Request(`${api.url}/api/v1/manifests/${manifest}/text`))
  if (answer.body) yield* linesOf(answer.body.pipeThrough(new TextDecoderStream()))
}
