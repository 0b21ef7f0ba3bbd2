// SPDX-License-Identifier: MIT
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Block, blocksOf, headingsOf, type Piece, piecesOf } from './markdown.ts'

const DOCS = join(import.meta.dirname, '../../../../docs')
const pages = new Map(
  readdirSync(DOCS)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name, blocksOf(readFileSync(join(DOCS, name), 'utf8'))]),
)

test('blocks are what they look like', () => {
  const text = [
    '# Title\n\nA line\nand its rest.\n- one\n  goes on\n- two\n\n> Mind\n> this\n',
    '| a | b |\n|---|---|\n| `x|y` | c \\| d |\n\n```sh\n# no heading\n\nls\n```\n## Again\n## Again',
  ].join('\n')
  expect(blocksOf(text).map((block) => [block.kind, shortly(block)])).toEqual([
    ['heading', 'title'],
    ['paragraph', 'A line and its rest.'],
    ['list', 'one goes on; two'],
    ['quote', 'Mind this'],
    ['table', 'a,b; x|y,c | d'],
    ['code', '# no heading\n\nls'],
    ['heading', 'again'],
    ['heading', 'again-1'],
  ])
})

const words = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('')
function shortly(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return block.id
    case 'code':
      return block.text
    case 'list':
      return block.items.map(words).join('; ')
    case 'table':
      return [block.head, ...block.rows].map((cells) => cells.map(words).join()).join('; ')
    default:
      return words(block.text)
  }
}

test('pieces of a text are code, bold, links and pictures', () => {
  expect(piecesOf('Say `**x**`, **now**, [see `y`](page.md#z) ![p](images/p.webp)!')).toEqual([
    { kind: 'text', text: 'Say ' },
    { kind: 'code', text: '**x**' },
    { kind: 'text', text: ', ' },
    { kind: 'bold', text: 'now' },
    { kind: 'text', text: ', ' },
    { kind: 'link', text: 'see y', to: 'page.md#z' },
    { kind: 'text', text: ' ' },
    { kind: 'image', text: 'p', to: 'images/p.webp' },
    { kind: 'text', text: '!' },
  ])
})

test('headings are found by their page', () => {
  expect(headingsOf('page', '# The page\n## A `part`\n#### Deep')).toEqual([
    { page: 'page', title: 'The page', heading: 'The page', id: '' },
    { page: 'page', title: 'The page', heading: 'A part', id: 'a-part' },
  ])
})

test('each link from one page of the docs to a heading of another leads to one', () => {
  const broken = [...pages].flatMap(([from, blocks]) =>
    linksIn(blocks).flatMap(({ to }) => {
      const [, page, id] = /^([\w-]+\.md)?(?:#(.+))?$/.exec(to) ?? []
      if (page === undefined && id === undefined) return []
      const there = pages.get(page ?? from)
      const isThere = there?.some((block) => block.kind === 'heading' && block.id === id)
      return there !== undefined && (id === undefined || isThere) ? [] : [`${from}: ${to}`]
    }),
  )
  expect(broken).toEqual([])
})

function linksIn(blocks: readonly Block[]) {
  return blocks.flatMap(textsIn).flatMap((piece) => (piece.kind === 'link' ? [piece] : []))
}
function textsIn(block: Block): Piece[] {
  switch (block.kind) {
    case 'code':
      return []
    case 'list':
      return block.items.flat()
    case 'table':
      return [block.head, ...block.rows].flat(2)
    default:
      return block.text
  }
}

test('no page has a mark that was not understood', () => {
  const left = [...pages].flatMap(([name, blocks]) =>
    blocks
      .flatMap(textsIn)
      .filter(({ kind, text }) => kind === 'text' && /\]\(|```|<br/.test(text))
      .map(({ text }) => `${name}: ${text}`),
  )
  expect(left).toEqual([])
})
