// SPDX-License-Identifier: MIT
// The configs of the corpus: real-shaped, written for these tests.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { GivenFile } from '../../../src/features/importers/source.ts'

export type Example = { name: string; main: string; files: GivenFile[] }

const CORPUS = resolve(import.meta.dirname, 'corpus')

export function examplesOf(language: string): Example[] {
  const folder = join(CORPUS, language)
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const isWhole = statSync(join(folder, name)).isDirectory()
      const names = isWhole
        ? readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
        : ['']
      const files = names
        .map((one) => ({
          // What is served lies where the config says.
          path: one.startsWith('srv/') ? `/${one}` : join('/etc', language, one || name),
          from: join(folder, name, one),
        }))
        .filter(({ from }) => statSync(from).isFile())
        .map(({ path, from }) => ({ path, text: readFileSync(from, 'utf8') }))
      return { name, main: join('/etc', language, isWhole ? `${language}.conf` : name), files }
    })
}
