// SPDX-License-Identifier: MIT
// What the form changes, as the smallest change of the text: comments, order and layout stay the
// author's. jsonc-parser's own `modify` lays whole lines out anew and leaves comments where they
// were when it removes or moves, so only its reading is used here.
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'
import type { Path } from '../schema-walk.ts'
import { endsInLineComment, type Part, partsOf } from './text-parts.ts'

export type Edit = { from: number; to: number; insert: string }

const INLINE_WIDTH = 72

export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toReversed()
    .sort((a, b) => b.from - a.from)
    .reduce((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text)
}

/** The text with `value` at the path; objects on the way there that are not written yet are made. */
export function setValue(text: string, path: Path, value: unknown): string {
  const root = parseTree(text)
  if (root === undefined) return text
  const here = findNodeAtLocation(root, [...path])
  if (here !== undefined) {
    const insert = render(value, indentAt(text, here.offset), styleOf(text))
    return applyEdits(text, [{ from: here.offset, to: here.offset + here.length, insert }])
  }
  const key = path.at(-1)
  const parent = findNodeAtLocation(root, path.slice(0, -1))
  if (parent === undefined) return setValue(text, path.slice(0, -1), { [String(key)]: value })
  if (parent.type === 'array') return append(text, parent, null, value)
  return parent.type === 'object' ? append(text, parent, String(key), value) : text
}

export function appendItem(text: string, path: Path, value: unknown): string {
  const list = nodeAt(text, path)
  return list === undefined ? setValue(text, path, [value]) : append(text, list, null, value)
}

/** Puts an item before another one and the comments that are about that one. */
export function insertItem(text: string, path: Path, index: number, value: unknown): string {
  const list = nodeAt(text, path)
  const parts = list === undefined ? [] : partsOf(text, list)
  const next = parts[index]
  if (list === undefined || next === undefined) return appendItem(text, path, value)
  const before = parts[index - 1]?.end ?? list.offset + 1
  const style = styleOf(text)
  const indent = indentAt(text, next.start)
  const ownLine = /[\r\n]/.test(text.slice(before, next.start))
  const insert = `${render(value, indent, style)},${ownLine ? style.lineEnd + indent : ' '}`
  return applyEdits(text, [{ from: next.start, to: next.start, insert }])
}

/** Takes an option or an item out, with the comments about it. */
export function removeValue(text: string, path: Path): string {
  const value = nodeAt(text, path)
  const container = value?.parent?.type === 'property' ? value.parent.parent : value?.parent
  if (value === undefined || container === undefined) return text
  const parts = partsOf(text, container)
  const index = parts.findIndex(({ node }) => node === value || node === value.parent)
  const [part, before, after] = [parts[index], parts[index - 1], parts[index + 1]]
  if (part === undefined) return text
  if (after !== undefined)
    return applyEdits(text, [{ from: part.start, to: after.start, insert: '' }])
  if (before?.comma != null) {
    // What follows would else stand in the line comment before it.
    const isSafe = !endsInLineComment(text, before) || isLineOver(text, part.end)
    return applyEdits(text, [
      { from: before.comma, to: before.comma + 1, insert: '' },
      { from: isSafe ? before.end : part.start, to: part.end, insert: '' },
    ])
  }
  return applyEdits(text, [emptied(text, container, part)])
}

/** An object or a list whose last child goes has nothing left but what it says of itself. */
function emptied(text: string, container: Node, part: Part): Edit {
  const open = container.offset + 1
  const close = container.offset + container.length - 1
  const own = text.slice(open, part.start) + text.slice(part.end, close)
  if (own.trim() === '') return { from: open, to: close, insert: '' }
  return { from: part.start, to: part.end, insert: '' }
}

/** An item and a neighbour change places, each with its comments. */
export function moveItem(text: string, path: Path, from: number, to: number): string {
  const list = nodeAt(text, path)
  const parts = list === undefined ? [] : partsOf(text, list)
  const [first, second] = [parts[Math.min(from, to)], parts[Math.max(from, to)]]
  if (first === undefined || second === undefined || Math.abs(from - to) !== 1) return text
  const { lineEnd } = styleOf(text)
  const newLine = lineEnd + indentAt(text, first.start)
  const between = text.slice(first.end, second.start)
  const behindLast = isLineOver(text, second.end)
  const isOpen = (part: Part, lineGoesOn: boolean) => lineGoesOn && endsInLineComment(text, part)
  const insert = [
    withComma(text, second, true),
    isOpen(second, !/[\r\n]/.test(between)) ? newLine : between,
    withComma(text, first, second.comma !== null),
    isOpen(first, !behindLast) ? newLine : '',
  ].join('')
  return applyEdits(text, [{ from: first.start, to: second.end, insert }])
}

function withComma(text: string, part: Part, wanted: boolean): string {
  const after = part.node.offset + part.node.length
  const behind =
    part.comma === null
      ? text.slice(after, part.end)
      : text.slice(after, part.comma) + text.slice(part.comma + 1, part.end)
  return text.slice(part.start, after) + (wanted ? ',' : '') + behind
}

/** Only the name is written anew; the value and its place stay. */
export function renameKey(text: string, path: Path, name: string): string {
  const key = nodeAt(text, path)?.parent?.children?.[0]
  if (key === undefined || typeof path.at(-1) === 'number') return text
  const insert = JSON.stringify(name)
  return applyEdits(text, [{ from: key.offset, to: key.offset + key.length, insert }])
}

/** The list as `items` says, with an edit for each item that differs and for no other. */
export function setItems(text: string, path: Path, items: readonly unknown[]): string {
  const list = nodeAt(text, path)
  if (list?.type !== 'array') return setValue(text, path, items)
  const old = (list.children ?? []).map((child) => child.value as unknown)
  let head = 0
  while (head < Math.min(old.length, items.length) && old[head] === items[head]) head += 1
  let tail = 0
  const longest = Math.min(old.length, items.length) - head
  while (tail < longest && old.at(-1 - tail) === items.at(-1 - tail)) tail += 1
  const kept = Math.min(old.length, items.length) - tail
  let now = text
  for (let index = head; index < kept; index++) {
    now = setValue(now, [...path, index], items[index])
  }
  for (let n = kept; n < old.length - tail; n++) now = removeValue(now, [...path, kept])
  for (let index = kept; index < items.length - tail; index++) {
    now = insertItem(now, path, index, items[index])
  }
  return now
}

function append(text: string, container: Node, key: string | null, value: unknown): string {
  const style = styleOf(text)
  const close = container.offset + container.length - 1
  const lineIndent = indentAt(text, container.offset)
  const parts = partsOf(text, container)
  const last = parts.at(-1)
  const name = key === null ? '' : `${JSON.stringify(key)}: `
  if (last === undefined) {
    const inner = text.slice(container.offset + 1, close).trimEnd()
    const indent = lineIndent + style.unit
    const from = container.offset + 1 + inner.length
    const insert = `${style.lineEnd}${indent}${name}${render(value, indent, style)}${style.lineEnd}${lineIndent}`
    const isShort = inner === '' && container.parent !== undefined && !insert.includes('{')
    const short = key === null ? render(value, '', style) : ` ${name}${render(value, '', style)} `
    return applyEdits(text, [{ from, to: close, insert: isShort ? short : insert }])
  }
  const after = last.node.offset + last.node.length
  const ownLine = /[\r\n]/.test(text.slice(container.offset, last.start))
  if (!ownLine && !(isLineOver(text, last.end) && endsInLineComment(text, last))) {
    const insert = `, ${name}${render(value, lineIndent, style)}`
    return applyEdits(text, [{ from: after, to: after, insert }])
  }
  const indent = ownLine ? indentAt(text, last.start) : lineIndent + style.unit
  return applyEdits(text, [
    { from: after, to: after, insert: ',' },
    {
      from: last.end,
      to: last.end,
      insert: `${style.lineEnd}${indent}${name}${render(value, indent, style)}`,
    },
  ])
}

type Style = { lineEnd: string; unit: string }

function styleOf(text: string): Style {
  return {
    lineEnd: /\r\n|\r|\n/.exec(text)?.[0] ?? '\n',
    unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ',
  }
}

const isLineOver = (text: string, offset: number) => /^[ \t]*[\r\n]/.test(text.slice(offset))

const indentAt = (text: string, offset: number) => {
  const line = text.slice(0, offset).search(/[^\r\n]*$/)
  return /^[ \t]*/.exec(text.slice(line, offset))?.[0] ?? ''
}

/** On one line where it fits, as people write rules; else so each of its parts. */
function render(value: unknown, indent: string, style: Style): string {
  const inline = renderInline(value)
  if (inline.length <= INLINE_WIDTH || typeof value !== 'object' || value === null) return inline
  const { lineEnd, unit } = style
  const inner = indent + unit
  const isList = Array.isArray(value)
  const parts = Object.entries(value).map(([key, one]) => {
    const name = isList ? '' : `${JSON.stringify(key)}: `
    return lineEnd + inner + name + render(one, inner, style)
  })
  return `${isList ? '[' : '{'}${parts.join(',')}${lineEnd}${indent}${isList ? ']' : '}'}`
}

function renderInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderInline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${renderInline(one)}`,
  )
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

function nodeAt(text: string, path: Path): Node | undefined {
  const root = parseTree(text)
  return root === undefined ? undefined : findNodeAtLocation(root, [...path])
}
