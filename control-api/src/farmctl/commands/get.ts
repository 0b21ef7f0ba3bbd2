// SPDX-License-Identifier: MIT
// get and describe: everything there is, as tables, as JSON, by name, once or as it changes.
import { type Command, Option } from 'commander'
import { collect } from '../api.ts'
import type { Act, Tool } from '../command.ts'
import { changes } from '../events.ts'
import { Failure } from '../failures.ts'
import { type Query, RESOURCES, type Resource, resourceOf } from '../resources.ts'
import { outline, tableLines } from '../table.ts'
import { examples } from './examples.ts'

type Options = {
  selector?: string
  limit?: number
  output: 'table' | 'wide' | 'json' | 'name'
  watch?: boolean
}

const KINDS = RESOURCES.map(({ names }) => names[0]).join(', ')

export function registerGet(program: Command, act: Act): void {
  const get = program
    .command('get')
    .summary('list things, or show one line of one')
    .description(`List things, or show one line of one.\nKinds: ${KINDS}`)
    .argument('<kind>', 'what to list')
    .argument('[name]', 'only this one; of versions: the config')
    .argument('[number]', 'of versions: only this one')
    .option('-l, --selector <selector>', 'only what has these labels: zone=eu,tier in (edge, core)')
    .option('--limit <n>', 'at most so many', parseLimit)
    .addOption(
      new Option('-o, --output <format>', 'how to print')
        .choices(['table', 'wide', 'json', 'name'])
        .default('table'),
    )
    .option('-w, --watch', 'go on, and print what changes')
  examples(get, [
    'farmctl get nodes',
    "farmctl get nodes -l 'zone=eu,!canary' -o wide",
    'farmctl get nodes --watch',
    'farmctl get versions default --limit 5',
    'farmctl get rollouts --json | jq -r ".items[0].state"',
  ])
  act<Options>(get, getThings)

  const describe = program
    .command('describe')
    .summary('everything there is to know of one thing')
    .description(`Everything there is to know of one thing.\nKinds: ${KINDS}`)
    .argument('<kind>', 'what it is')
    .argument('<name>', 'which; of versions: the config')
    .argument('[number]', 'of versions: which')
  examples(describe, [
    'farmctl describe node node-1',
    'farmctl describe version default 3',
    'farmctl describe rollout rollout_01jd4q6v2m8w3x5y7z9abcdefg',
  ])
  act(describe, describeOne)
}

export function parseLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw new Failure(`--limit is a number from 1, not "${text}".`)
}

async function getThings(
  tool: Tool,
  options: Options,
  kind: string,
  first?: string,
  second?: string,
): Promise<void> {
  const resource = resourceOf(kind)
  const [of, name] = resource.parent ? [first, second] : [undefined, first]
  const query = queryOf(resource, options, of)
  const asked = { resource, query, name }
  if (options.watch) await watch(tool, asked, options)
  else await printOnce(tool, asked, options)
}

function queryOf(resource: Resource<unknown>, options: Options, of: string | undefined): Query {
  const { selector = '', limit = resource.shown } = options
  if (selector && !resource.hasLabels)
    throw new Failure(`${resource.names[0]} have no labels: leave --selector out.`)
  return { selector, limit, of }
}

type Asked = { resource: Resource<unknown>; query: Query; name: string | undefined }

const fetchAll = async (tool: Tool, { resource, query, name }: Asked): Promise<unknown[]> =>
  name === undefined
    ? await collect(resource.list(tool.api(), query))
    : [await resource.one(tool.api(), name, query)]

/** For commands that are called list. */
export const listResource = (tool: Tool, resource: Resource<unknown>) =>
  printOnce(
    tool,
    { resource, query: { selector: '', of: undefined, limit: resource.shown }, name: undefined },
    { output: 'table' },
  )

async function printOnce(tool: Tool, asked: Asked, options: Options): Promise<void> {
  const items = await fetchAll(tool, asked)
  const { resource, name } = asked
  if (isJson(tool, options)) {
    tool.terminal.print(JSON.stringify(name === undefined ? { items } : items[0], null, 2))
    return
  }
  if (items.length === 0) tool.terminal.note(`There are no ${resource.names[0]}.`)
  else tool.terminal.print(linesOf(resource, items, options).join('\n'))
}

/** Columns keep no width over time: each change is a line of its own. */
async function watch(tool: Tool, asked: Asked, options: Options): Promise<void> {
  const { resource } = asked
  const seen = new Map<string, string>()
  for await (const change of changes(tool.api(), tool.stop)) {
    if (change !== null && change.kind !== resource.kind) continue
    const items = await fetchAll(tool, asked)
    const fresh = items.filter((item) => seen.get(resource.nameOf(item)) !== JSON.stringify(item))
    for (const item of fresh) seen.set(resource.nameOf(item), JSON.stringify(item))
    if (isJson(tool, options)) for (const item of fresh) tool.terminal.print(JSON.stringify(item))
    else if (fresh.length > 0) tool.terminal.print(linesOf(resource, fresh, options).join('\n'))
  }
}

const isJson = ({ json }: Tool, { output }: Options) => json || output === 'json'

/** As a table or as names. */
export function linesOf(
  resource: Resource<unknown>,
  items: readonly unknown[],
  { output }: Pick<Options, 'output'>,
) {
  if (output === 'name') return items.map(resource.nameOf)
  const columns = resource.columns.filter(({ isWide }) => !isWide || output === 'wide')
  return tableLines(
    columns.map(({ title }) => title),
    items.map((item) => columns.map(({ of }) => of(item))),
  )
}

async function describeOne(
  tool: Tool,
  _options: unknown,
  kind: string,
  first = '',
  second?: string,
): Promise<void> {
  const resource = resourceOf(kind)
  const [of, name] = resource.parent ? [first, second ?? ''] : [undefined, first]
  if (!name) throw new Failure(`Which one? As in: farmctl describe version ${first} 1`)
  const item = await resource.one(tool.api(), name, { selector: '', limit: undefined, of })
  tool.show(item, () => outline(item))
}
