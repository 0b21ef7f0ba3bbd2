// SPDX-License-Identifier: MIT
// A node's config as an import makes it, and its text. The schema of the nodes says what may be in it; the node's own
// `check` has the last word.

export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [key: string]: Value }
export type Rule = Record<string, Value>
export type DraftSite = { comment: string; hosts: string[]; root: string } & Record<string, Value>
export type Draft = { sites: DraftSite[] } & Record<string, Value>

const WIDTH = 100

/** `title`: the first line's comment. A site's own comment stands above it. */
export function printDraft(title: string, { sites, ...rest }: Draft): string {
  const members = Object.entries(rest).map(([key, value]) => member(key, value, '  '))
  const texts = sites.map(
    ({ comment, ...site }) => `    ${commentOf(comment)}\n    ${printed(site, '    ')}`,
  )
  return `${commentOf(title)}\n{\n${[...members, `  "sites": [\n${texts.join(',\n')}\n  ]`].join(',\n')}\n}\n`
}

const commentOf = (text: string) => `// ${text.replace(/[^ -~]+/g, ' ')}`
const member = (key: string, value: Value, indent: string) =>
  `${indent}${JSON.stringify(key)}: ${printed(value, indent)}`

/** In a line where it fits, else a member in each. */
function printed(value: Value, indent: string): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const line = inLine(value)
  if (indent.length + line.length <= WIDTH) return line
  const deeper = `${indent}  `
  if (isList(value)) {
    return `[\n${value.map((one) => deeper + printed(one, deeper)).join(',\n')}\n${indent}]`
  }
  const members = Object.entries(value).map(([key, one]) => member(key, one, deeper))
  return `{\n${members.join(',\n')}\n${indent}}`
}

function inLine(value: Value): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(inLine).join(', ')}]`
  const members = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${inLine(one)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

const isList = (value: object): value is readonly Value[] => Array.isArray(value)
