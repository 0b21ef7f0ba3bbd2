// SPDX-License-Identifier: MIT
// The Markdown that docs/*.md are written in, as blocks and pieces of text: headings, paragraphs, lists, tables, code, quotes,
// pictures. No HTML: what looks like it is text. Also used by the build, for the headings that Find knows.

export type Piece =
  | { kind: 'text' | 'code' | 'bold'; text: string }
  | { kind: 'link'; text: string; to: string }
  | { kind: 'image'; text: string; to: string }
export type Block =
  | { kind: 'heading'; level: number; id: string; text: Piece[] }
  | { kind: 'paragraph' | 'quote'; text: Piece[] }
  | { kind: 'code'; text: string }
  | { kind: 'list'; isOrdered: boolean; items: Piece[][] }
  | { kind: 'table'; head: Piece[][]; rows: Piece[][][] }

const HEADING = /^(#{1,6}) +(.*)$/
/** Also in a list, where it is indented. */
const FENCE = /^( *)```/
const ITEM = /^(?:[-*]|\d+\.) +(.*)$/

export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split(/\r?\n/)
  const blocks: Block[] = []
  const ids = new Map<string, number>()
  for (let at = 0; at < lines.length; ) {
    const [block, next] = readBlock(lines, at, ids)
    if (block !== null) blocks.push(block)
    at = next
  }
  return blocks
}

type Read = [block: Block | null, next: number]

function readBlock(lines: readonly string[], at: number, ids: Map<string, number>): Read {
  const line = lines[at] ?? ''
  if (line.trim() === '') return [null, at + 1]
  const [, marks, heading] = HEADING.exec(line) ?? []
  if (marks !== undefined && heading !== undefined) {
    const id = once(ids, slugOf(heading))
    return [{ kind: 'heading', level: marks.length, id, text: piecesOf(heading) }, at + 1]
  }
  const indent = FENCE.exec(line)?.[1]
  if (indent !== undefined) return readCode(lines, at, indent)
  const end = endOf(lines, at)
  const part = lines.slice(at, end)
  if (line.startsWith('|')) return [tableOf(part), end]
  if (ITEM.test(line)) return [listOf(part), end]
  const isQuote = line.startsWith('>')
  const text = part.map((one) => (isQuote ? one.replace(/^> ?/, '') : one).trim()).join(' ')
  return [{ kind: isQuote ? 'quote' : 'paragraph', text: piecesOf(text) }, end]
}

function readCode(lines: readonly string[], at: number, indent: string): Read {
  const length = lines.slice(at + 1).findIndex((line) => line.trim().startsWith('```'))
  const end = length < 0 ? lines.length : at + 1 + length
  const text = lines.slice(at + 1, end).map((line) => line.replace(indent, ''))
  return [{ kind: 'code', text: text.join('\n') }, end + 1]
}

/** Of what stands together: an empty line ends it, and so does what can begin within a paragraph. */
function endOf(lines: readonly string[], from: number): number {
  const isItem = ITEM.test(lines[from] ?? '')
  let end = from + 1
  while (end < lines.length && !endsBefore(lines[end] ?? '', isItem)) end++
  return end
}

const endsBefore = (line: string, isItem: boolean) =>
  line.trim() === '' || HEADING.test(line) || FENCE.test(line) || (!isItem && ITEM.test(line))

function listOf(lines: readonly string[]): Block {
  const items: string[] = []
  for (const line of lines) {
    const [, item] = ITEM.exec(line) ?? []
    if (item === undefined) items.push(`${items.pop() ?? ''} ${line.trim()}`)
    else items.push(item)
  }
  return { kind: 'list', isOrdered: /^\d/.test(lines[0] ?? ''), items: items.map(piecesOf) }
}

function tableOf(lines: readonly string[]): Block {
  const [head = [], , ...rows] = lines.map((line) => cellsOf(line).map(piecesOf))
  return { kind: 'table', head, rows }
}

/** A bar in code, or after a backslash, divides nothing. */
function cellsOf(line: string): string[] {
  const cells = ['']
  let isCode = false
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  for (const [i, letter] of [...inner].entries()) {
    if (letter === '`') isCode = !isCode
    const isBar = letter === '|' && !isCode && inner[i - 1] !== '\\'
    if (isBar) cells.push('')
    else cells[cells.length - 1] += letter
  }
  return cells.map((cell) => cell.replaceAll('\\|', '|').trim())
}

const PIECE = /`([^`]+)`|\*\*([^*]+)\*\*|(!?)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)/g

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const match of text.matchAll(PIECE)) {
    const [whole, code, bold, mark, label, to] = match
    if (match.index > at) pieces.push({ kind: 'text', text: text.slice(at, match.index) })
    if (code !== undefined) pieces.push({ kind: 'code', text: code })
    else if (bold !== undefined) pieces.push({ kind: 'bold', text: bold.replaceAll('`', '') })
    else {
      const kind = mark === '!' ? 'image' : 'link'
      pieces.push({ kind, text: (label ?? '').replaceAll('`', ''), to: to ?? '' })
    }
    at = match.index + whole.length
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at) })
  return pieces
}

export const plainText = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('')

/** As links of our pages name a heading, which is GitHub's way. */
const slugOf = (heading: string) =>
  plainText(piecesOf(heading))
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

function once(ids: Map<string, number>, slug: string): string {
  const times = ids.get(slug) ?? 0
  ids.set(slug, times + 1)
  return times === 0 ? slug : `${slug}-${times}`
}

export type DocHeading = { page: string; title: string; heading: string; id: string }

/** What a page can be found by: its title, and its headings of the next two levels. */
export function headingsOf(page: string, markdown: string): DocHeading[] {
  const headings = blocksOf(markdown).flatMap((block) => (block.kind === 'heading' ? [block] : []))
  const title = plainText(headings.find(({ level }) => level === 1)?.text ?? [])
  return headings
    .filter(({ level }) => level <= 3)
    .map(({ level, id, text }) => ({
      ...{ page, title: title || page, id: level === 1 ? '' : id },
      heading: plainText(text),
    }))
}
