// SPDX-License-Identifier: MIT
// The fuzz targets (in folders like those of src), each with its dictionary and its corpus.
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const readsJson = ['agent_messages', 'config']

function dictionaryOf(name) {
  const own = join(here, `${name}.dict`)
  if (existsSync(own)) return own
  return join(here, readsJson.includes(name) ? 'json.dict' : 'http.dict')
}

export const targets = readdirSync(here, { recursive: true })
  .map((file) => /^\w+\/fuzz_(.*)\.c$/.exec(file)?.[1])
  .filter(Boolean)
  .sort()
  .map((name) => ({
    name,
    program: `fuzz_${name}`,
    dictionary: dictionaryOf(name),
    corpus: join(here, 'corpus', name),
  }))
