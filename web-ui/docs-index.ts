// SPDX-License-Identifier: MIT
// The headings of docs/*.md as a module of their own, made by the build: Find loads them when somebody looks for something.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { headingsOf } from './src/features/docs/markdown.ts'

const NAME = 'virtual:docs-index'
const DOCS = join(import.meta.dirname, '../docs')

export const docsIndex = (): Plugin => ({
  name: 'docs-index',
  resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
  load(id) {
    if (id !== `\0${NAME}`) return null
    if (!existsSync(DOCS)) throw new Error(`${DOCS} is not there: the console ships the docs`)
    const pages = readdirSync(DOCS).filter((name) => name.endsWith('.md'))
    const headings = pages.flatMap((name) =>
      headingsOf(name.slice(0, -'.md'.length), readFileSync(join(DOCS, name), 'utf8')),
    )
    return `export const headings = ${JSON.stringify(headings)}`
  },
})
