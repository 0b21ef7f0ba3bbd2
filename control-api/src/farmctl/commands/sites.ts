// SPDX-License-Identifier: MIT
// The sites of all configs, with what nodes answered for each in the last minutes.
import type { Command } from 'commander'
import { bodyOf, collect, pages } from '../api.ts'
import type { Act, Tool } from '../command.ts'
import { sizeText, tableLines } from '../table.ts'
import { examples } from './examples.ts'
import { parseLimit } from './get.ts'

type Options = { config?: string; limit?: number }

const MOST_SHOWN = 500
const TITLES = ['SITE', 'CONFIG', 'NODES', 'REQUESTS/S', '5XX/S', 'SENT/S']

export function registerSites(program: Command, act: Act): void {
  const sites = program
    .command('sites')
    .summary('the sites of all configs, and how much each is asked for')
    .description(
      'The sites of all configs by host: how many nodes serve each, and what they answered in the last 5 minutes. "-" stands for what was not counted.',
    )
    .argument('[words]', 'only those with this in a host or in the config’s name')
    .option('--config <name>', 'only those of this config')
    .option('--limit <n>', 'at most so many', parseLimit)
  examples(sites, ['farmctl sites', 'farmctl sites shop', 'farmctl sites --config default --json'])
  act<Options>(sites, listSites)
}

type Query = { cursor?: string; limit: number; q?: string; config?: string }

const fetchSites = (tool: Tool, query: Query) =>
  bodyOf(tool.api().GET('/api/v1/sites', { params: { query } }))

async function listSites(
  tool: Tool,
  { config, limit = MOST_SHOWN }: Options,
  words = '',
): Promise<void> {
  const wish = { ...(words !== '' && { q: words }), ...(config !== undefined && { config }) }
  const items = await collect(pages((page) => fetchSites(tool, { ...page, ...wish }), limit))
  tool.show({ items }, () => {
    if (items.length === 0) return ['There are no such sites.']
    return tableLines(TITLES, items.map(rowOf))
  })
}

type Site = Awaited<ReturnType<typeof fetchSites>>['items'][number]

export const rowOf = ({ host, config, nodes, traffic }: Site): string[] => [
  ...[host, config, String(nodes)],
  ...(traffic
    ? [
        rateText(traffic.requestsPerSecond),
        rateText(traffic.serverErrorsPerSecond),
        sizeText(Math.round(traffic.bytesPerSecond)),
      ]
    : ['-', '-', '-']),
]

/** One digit; what is less than that is more than nothing. */
const rateText = (perSecond: number) =>
  perSecond > 0 && perSecond < 0.1 ? '<0.1' : perSecond.toFixed(1)
