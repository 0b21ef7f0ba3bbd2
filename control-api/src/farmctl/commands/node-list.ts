// SPDX-License-Identifier: MIT
// nodes list: the nodes that are asked for, chosen and sorted by the control plane, a page or all of them.
import { type Command, Option } from 'commander'
import { type Api, bodyOf, pages } from '../api.ts'
import type { Node, NodesQuery } from '../api-types.ts'
import type { Act, Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { readSelector } from '../nodes.ts'
import { RESOURCES } from '../resources.ts'
import { examples } from './examples.ts'
import { linesOf, parseLimit } from './get.ts'

const STATES = ['out-of-sync', 'drift', 'unknown', 'applying', 'waiting', 'in-sync'] as const
const SORTS = [
  ...(['name', 'group', 'state', 'seen'] as const),
  ...(['p50', 'p99', 'rate', 'errors', 'clientErrors'] as const),
]
const IDENTITIES = ['good', 'expired', 'revoked'] as const
const SHOWN = 100

type Options = {
  state?: (typeof STATES)[number]
  connected?: boolean
  disconnected?: boolean
  cordoned?: boolean
  behind?: boolean
  refused?: boolean
  identity?: (typeof IDENTITIES)[number]
  group?: string
  config?: string
  query?: string
  selector?: string
  sort?: (typeof SORTS)[number]
  desc?: boolean
  limit: number
  all?: boolean
  output: 'table' | 'wide' | 'name'
}

export function registerNodeList(nodes: Command, act: Act): void {
  const list = nodes
    .command('list')
    .summary('list nodes: filtered, sorted, a page or all')
    .description(
      `Nodes as the control plane filters and sorts them; filters hold together. The first ${SHOWN}, or --limit, or --all of them.`,
    )
    .addOption(new Option('--state <state>', 'only those in this state').choices(STATES))
    .option('--connected', 'only those that are heard now')
    .addOption(
      new Option('--disconnected', 'only those that are not heard now').conflicts('connected'),
    )
    .option('--cordoned', 'only cordoned ones')
    .option('--behind', 'only those that do not run what they were told last')
    .option('--refused', 'only those that refused it, went back from it or are stuck with it')
    .addOption(
      new Option('--identity <state>', 'only those whose identity is this').choices(IDENTITIES),
    )
    .option('--group <name>', 'only those of this group')
    .option('--config <config[@version]>', 'only those that run it')
    .option('--query <words>', 'each word is a part of the name, the host or a label (rack=b2)')
    .option('-l, --selector <selector>', 'only what has these labels: zone=eu,tier in (edge, core)')
    .addOption(
      new Option(
        '--sort <by>',
        'state: what needs somebody first; seen: the longest unheard first; by measurements of the last minute at most 1,000 nodes',
      )
        .choices(SORTS)
        .default('name'),
    )
    .option('--desc', 'the other way round')
    .option('--limit <n>', 'at most so many', parseLimit, SHOWN)
    .option('--all', 'all of them, however many')
    .addOption(
      new Option('-o, --output <format>', 'how to print')
        .choices(['table', 'wide', 'name'])
        .default('table'),
    )
  examples(list, [
    'farmctl nodes list --state out-of-sync',
    'farmctl nodes list --disconnected --sort seen --limit 20',
    'farmctl nodes list --group edge --sort p99 --desc',
    'farmctl nodes list --config default@7 --all -o name',
  ])
  act<Options>(list, listNodes)
}

async function listNodes(tool: Tool, options: Options): Promise<void> {
  const api = tool.api()
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit
  const { items, total } = await read(api, queryOf(options), limit)
  const nodes = RESOURCES.find(({ kind }) => kind === 'node')
  if (nodes === undefined) throw new Error('nodes can be listed')
  tool.show({ items, total }, () =>
    items.length === 0 ? ['No node matches.'] : linesOf(nodes, items, options),
  )
  if (items.length < total && !tool.json) {
    const [shown, all] = [items.length, total].map((count) => count.toLocaleString('en-US'))
    tool.terminal.note(`${shown} of ${all} nodes; --all lists all of them.`)
  }
}

/** Page by page. The first says how many there are. */
async function read(api: Api, query: NodesQuery, limit: number) {
  const items: Node[] = []
  let total = 0
  const fetchPage = async (page: { cursor?: string; limit: number }) => {
    const answer = await bodyOf(
      api.GET('/api/v1/nodes', { params: { query: { ...query, ...page } } }),
    )
    total = answer.total
    return answer
  }
  for await (const node of pages(fetchPage, limit)) items.push(node)
  return { items, total }
}

function queryOf(options: Options): NodesQuery {
  const { state, identity, group, query, selector, sort, desc } = options
  const { connected, disconnected, cordoned, behind, refused } = options
  // An error of it is shown with its place.
  if (selector) readSelector(selector)
  return {
    ...(state && { state }),
    ...(connected && { connected }),
    ...(disconnected && { connected: false }),
    ...(cordoned && { cordoned }),
    ...(behind && { behind }),
    ...(refused && { refused }),
    ...(identity && { identity }),
    ...(group && { group }),
    ...runningOf(options.config),
    ...(query && { q: query }),
    ...(selector && { selector }),
    ...(sort && { sort }),
    ...(desc && { order: 'desc' }),
  }
}

function runningOf(text: string | undefined): Pick<NodesQuery, 'config' | 'version'> {
  if (text === undefined) return {}
  const [config = '', number] = text.split('@')
  if (number === undefined) return { config }
  const version = Number(number)
  if (Number.isInteger(version) && version > 0) return { config, version }
  throw new Failure(`--config is a config, or one version of it as in default@7, not "${text}".`)
}
