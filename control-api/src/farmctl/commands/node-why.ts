// SPDX-License-Identifier: MIT
// What a node would answer to URLs and why, and what would change with another text.
import type { Command } from 'commander'
import { bodyOf } from '../api.ts'
import type { Explained, Explanation } from '../api-types.ts'
import type { Act, Tool } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { atPosition, Failure } from '../failures.ts'
import { findNode } from '../nodes.ts'
import { readTextFile } from '../read-text.ts'
import { examples } from './examples.ts'

type Options = { file?: string }
type Item = Explanation['items'][number]
type Place = Explained['rules'][number]

export function registerNodeWhy(nodes: Command, act: Act): void {
  const why = nodes
    .command('why')
    .description('what the node would answer to URLs, by which rules, and who wrote them')
    .argument('<node>', 'name or id')
    .argument('<urls...>', 'up to 50, each with http:// or https://')
    .option('-f, --file <file>', 'say what would be another answer with this text of its config')
  examples(why, [
    'farmctl nodes why node-1 https://www.example.org/old/page',
    'farmctl nodes why node-1 https://www.example.org/ -f site.jsonc',
  ])
  act<Options>(why, (tool, options, name = '', urls: unknown = []) =>
    showWhy(tool, options, name, urls as readonly string[]),
  )
}

async function showWhy(
  tool: Tool,
  { file }: Options,
  name: string,
  urls: readonly string[],
): Promise<void> {
  const api = tool.api()
  const path = { id: (await findNode(api, name)).id }
  const text = file === undefined ? {} : { text: readTextFile(file) }
  const body = { urls: [...urls], ...text }
  const found = await bodyOf(api.POST('/api/v1/nodes/{id}/explain', { params: { path }, body }))
  tool.show(found, () => found.items.flatMap((item) => lines(item, file !== undefined)))
  const [wrong] = found.errors
  if (wrong !== undefined) {
    throw new Failure(
      found.errors.map((error) => atPosition(file ?? name, error)).join('\n'),
      EXIT.rejected,
    )
  }
}

function lines({ url, error, before, after }: Item, isCompared: boolean): string[] {
  if (error !== null) return [url, `  ${error}`]
  if (isCompared && before && after) return [url, ...differences(before, after)]
  const answer = after ?? before
  return [url, ...(answer ? inFull(answer) : ['  The node has no config yet.'])]
}

function inFull(answer: Explained): string[] {
  const { status, location, files, rules, unread, headers } = answer
  return [
    `  ${status}${location === '' ? '' : ` to ${location}`}`,
    ...files.map((file) => `  looks for ${file}`),
    ...rules.map((place) => `  by ${placeText(place)}`),
    ...unread.map(({ pointer }) => `  only the node can read ${pointer}`),
    ...headers.map(
      ({ name, value, from }) =>
        `  ${name}: ${valueText(value)}${from === null ? '' : `  [${placeText(from)}]`}`,
    ),
  ]
}

function placeText({ pointer, line, from, since }: Place): string {
  const at = from ?? (line > 0 ? `line ${line}` : '')
  const who =
    since && (since.isOlder ? `before v${since.number}` : `v${since.number} by ${since.author}`)
  return [pointer, at, who].filter(Boolean).join(', ')
}

const valueText = (value: string | null) => value ?? '(as the file is)'

function differences(before: Explained, after: Explained): string[] {
  const [had, has] = [facts(before), facts(after)]
  const gone = had.filter((fact) => !has.includes(fact)).map((fact) => `  - ${fact}`)
  const come = has.filter((fact) => !had.includes(fact)).map((fact) => `  + ${fact}`)
  const changed = [...gone, ...come]
  return changed.length === 0 ? ['  the same answer'] : changed
}

const facts = ({ status, location, files, headers }: Explained): string[] => [
  `${status}${location === '' ? '' : ` to ${location}`}`,
  ...files.map((file) => `looks for ${file}`),
  ...headers.map(({ name, value }) => `${name}: ${valueText(value)}`),
]
