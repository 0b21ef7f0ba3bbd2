// SPDX-License-Identifier: MIT
// Lists as columns, single things as outlines: for eyes. Programs ask for JSON.
import widthOf from 'fast-string-truncated-width'
import { visible } from '../base/terminal-text.ts'

export type Column<T> = { title: string; of: (item: T) => string; isWide?: true }

const GAP = '  '
const EMPTY = '-'

export function tableLines(titles: readonly string[], rows: readonly (readonly string[])[]) {
  const lines = [titles, ...rows].map((row) =>
    row.map(shown).map((text) => ({ text, width: widthOf(text).width })),
  )
  const widths = titles.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.width ?? 0)))
  return lines.map((cells) =>
    cells
      .map(({ text, width }, at) => text + ' '.repeat((widths[at] ?? width) - width))
      .join(GAP)
      .trimEnd(),
  )
}

/** As much of a line as fits; the library's own cut miscounts some letters and goes through others. */
export function cutTo(columns: number, line: string): string {
  let [width, end] = [0, 0]
  for (const { segment, index } of new Intl.Segmenter().segment(line)) {
    width += widthOf(segment).width
    if (width > columns) break
    end = index + segment.length
  }
  return line.slice(0, end)
}

const shown = (cell: string | undefined) => visible(cell ?? '').replaceAll(/\s+/g, ' ') || EMPTY

/** A line of a node's error log: whoever has taken the node over has written it. */
export const logLine = ({ at, level, text }: { at: string; level: string; text: string }) =>
  `${at} ${level} ${visible(text).replaceAll('\n', '�')}`

/** Any JSON value, one member a line, indented by depth. */
export function outline(value: unknown, indent = ''): string[] {
  if (!isNested(value)) return [`${indent}${scalar(value)}`]
  const entries = Array.isArray(value)
    ? value.map((item): [string, unknown] => ['-', item])
    : Object.entries(value).map(([key, item]): [string, unknown] => [`${titleOf(key)}:`, item])
  const width = Math.max(...entries.map(([label, item]) => (isNested(item) ? 0 : label.length)), 0)
  return entries.flatMap(([label, item]) => entry(label, item, { indent, width }))
}

type Place = { indent: string; width: number }

function entry(label: string, item: unknown, { indent, width }: Place): string[] {
  if (isNested(item)) return [`${indent}${label}`, ...outline(item, `${indent}${GAP}`)]
  const text = scalar(item)
  if (text.includes('\n')) {
    const lines = text.replace(/\n$/, '').split('\n')
    return [`${indent}${label}`, ...lines.map((line) => `${indent}${GAP}${line}`)]
  }
  return [`${indent}${label.padEnd(width)} ${text}`]
}

const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

function scalar(value: unknown): string {
  if (value === null || value === undefined || value === '') return EMPTY
  if (typeof value === 'object') return Array.isArray(value) ? 'none' : EMPTY
  return visible(String(value))
}

/** updatedAt → Updated at; labels, options and other names of people's own stay as they are. */
const titleOf = (key: string) =>
  /^[a-z]+([A-Z][a-z0-9]*)+$/.test(key)
    ? key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    : key

const UNITS: [seconds: number, letter: string][] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
]

/** "5m", "3h", "12d": how long ago, by this machine's clock. */
export function age(time: string | null, nowMs = Date.now()): string {
  if (time === null) return EMPTY
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(time)) / 1000))
  const unit = UNITS.find(([size]) => seconds >= 2 * size)
  return unit ? `${Math.floor(seconds / unit[0])}${unit[1]}` : `${seconds}s`
}

export const labelsText = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

const SIZE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

export function sizeText(bytes: number): string {
  const unit = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), SIZE_UNITS.length - 1)
  const value = bytes / 1024 ** unit
  return `${unit === 0 ? value : value.toFixed(1)} ${SIZE_UNITS[unit]}`
}
