// SPDX-License-Identifier: MIT
// What the pages for those who work on the tree say of it: each path that one names is there, and each link leads
// somewhere. A path may be written from any folder above it: `answer/exchange.c` is server-c/src/answer/exchange.c.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it, test } from 'node:test'
import { root } from '../setup/paths.mjs'

/** Made by builds, by runs and by npm. */
const MADE = String.raw`(^|/)(node_modules|build|dist|\.git|\.tools|\.farm)`
const isMade = (path: string) => new RegExp(`${MADE}(/|$)`).test(path)
const entries = globSync('**', { cwd: root, exclude: isMade })

const read = (path: string) => readFileSync(join(root, path), 'utf8')
/** Decisions and the change log speak of the tree as it was. */
const pages = entries.filter(
  (path) => path.endsWith('.md') && path !== 'CHANGELOG.md' && !path.startsWith('docs/decisions/'),
)

/** Each way to write a path of the tree: from each folder above, also without what follows its first dot. */
const known = new Set(entries.flatMap((path) => [path, path.replace(/\.[^/]+$/, '')]).flatMap(ends))

function ends(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, at) => parts.slice(at).join('/'))
}

const SOURCE = /\.(c|def|h|mjs|mts|md|ts|tsx)$/
const folders = new Set(entries.flatMap((path) => path.split('/').slice(0, -1)))
const RATE = /\/s$/
const MEDIA_TYPE = /^(application|audio|image|text|video)\/[\w.+-]+$/
/** Of a sample, not of the tree: a path of an address, a media type, a rate, a place on an operator's machine. */
function isOurs(word: string): boolean {
  if (SOURCE.test(word)) return true
  const [first = '', ...rest] = word.split('/')
  const isElse = /[.#]/.test(word) || MEDIA_TYPE.test(word) || RATE.test(word)
  return rest.length > 0 && folders.has(first) && !isElse
}

/** "{a,b}.ts" is two. What stands for any name (<noun>, x, *, NN) leaves nothing to look for. */
function pathsOf(word: string): string[] {
  const [, before = '', inBraces, after = ''] = /^(.*)\{([^{}]*,[^{}]*)\}(.*)$/.exec(word) ?? []
  if (inBraces !== undefined)
    return inBraces.split(',').flatMap((one) => pathsOf(`${before}${one.trim()}${after}`))
  return /[<>*{}$…]|(^|[/_])(x|NN)[._]/.test(word) ? [] : [word]
}

/** What stands in backticks, words and commands alike, and in blocks for a shell. */
function namedIn(page: string): string[] {
  const text = page.replace(/^```(?!sh$|console$)\w*[^\n]*\n[\s\S]*?^```$/gm, '')
  const said = [...text.matchAll(/`([^`]+)`/g), ...text.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)]
  const words = said.flatMap(([, part = '']) => part.split(/[\s;:()"'=]+|,(?![^{}]*\})/))
  return words.filter((word) => isOurs(word) && !isMade(word)).flatMap(pathsOf)
}

/** Which rows were looked at where: files of other servers, and folders of an operator's. */
const THEIRS: Readonly<Record<string, RegExp>> = {
  'docs/serving-files.md': /^releases\/42$/,
  'server-c/test/conformance/README.md': /^(src\/t|deps)\/|^test_(burl|mod_staticfile)\.c$/,
}

const clean = (path: string) => path.replace(/^(\.{1,2}\/)+/, '').replace(/\/$/, '')

describe('each path that a page names is in the tree', () => {
  for (const page of pages) {
    it(page, () => {
      const gone = namedIn(read(page)).filter(
        (path) => !known.has(clean(path)) && !THEIRS[page]?.test(path),
      )
      assert.deepEqual([...new Set(gone)], [])
    })
  }
})

/** As GitHub makes them. */
const anchorsOf = (page: string) =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

describe('each link of a page leads to something in the tree', () => {
  for (const page of pages) {
    it(page, () => {
      const links = [...read(page).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, to = '']) => to)
      const dead = links.filter((link) => {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, '')
        if (!entries.includes(target)) return true
        return anchor !== undefined && !anchorsOf(read(target)).includes(anchor)
      })
      assert.deepEqual(dead, [])
    })
  }
})

test('paths are looked for at all, and one that is gone is found', () => {
  const all = pages.flatMap((page) => namedIn(read(page)))
  assert.ok(all.length > 300, `${all.length} paths`)
  const page =
    '`src/gone/` and `node test/gone.mjs`, `gone/{a,base}.ts`, `<x>/y.c`, `GET /api/`, `text/css`'
  assert.deepEqual(namedIn(page), ['src/gone/', 'test/gone.mjs', 'gone/a.ts', 'gone/base.ts'])
  assert.ok(known.has('answer/exchange') && !known.has('src/gone'))
})
