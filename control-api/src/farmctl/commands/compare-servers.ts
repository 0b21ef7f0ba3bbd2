// SPDX-License-Identifier: MIT
// Before and after: the same requests to two servers, their answers held against each other, then the same load.
import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Act } from '../command.ts'
import { Difference } from '../failures.ts'
import {
  type CompareWishes,
  type Comparison,
  compareServers,
  doubtsOfAll,
  RUN_TITLES,
  runRow,
  verdictOf,
} from '../load/comparison.ts'
import { comparisonPage } from '../load/comparison-html.ts'
import { comparisonMarkdown } from '../load/comparison-markdown.ts'
import { collect, wholeNumber } from '../load/option-values.ts'
import { readUrl } from '../load/targets.ts'
import { tableLines } from '../table.ts'
import { examples } from './examples.ts'

type Options = CompareWishes & { html?: string; markdown?: string; exitCode?: boolean }
const SHOWN = 100

export function registerCompareServers(parent: Command, act: Act): void {
  const command = parent
    .command('compare-servers')
    .summary('ask two servers the same, and hold answers and times against each other')
    .description(
      'Asks both servers for each path of a list and tells where status, location, type, caching, coding or bytes differ. Then both get the same load in turn. Of the URLs of the list only paths count.',
    )
    .argument('<old>', 'the server as it is, as http://localhost:8080')
    .argument('<new>', 'the one that may take its place')
    .requiredOption('--urls <file>', 'a list as for farmctl load')
    .option('-c, --clients <n>', 'clients at once in the load', wholeNumber, 10)
    .option('-d, --seconds <n>', 'of each run', wholeNumber, 5)
    .option('--rounds <n>', 'runs of each server, in turn', wholeNumber, 3)
    .option('--no-load', 'compare answers only')
    .option('--host <name>', 'ask both for this host, wherever they listen')
    .option('--yes-i-may-load <name>', 'this host is not mine alone, and I may', collect, [])
    .option('--ca-file <file>', 'PEM of the CA to believe instead of the system’s')
    .option('--insecure', 'believe any certificate')
    .option('--html <file>', 'write a page with both, side by side, there')
    .option('--markdown <file>', 'write the same as text, to go with the report of an import')
    .option('--exit-code', 'exit with 1 if answers differ')
  examples(command, [
    'farmctl compare-servers http://localhost:80 http://localhost:8080 --urls urls.txt',
    'farmctl compare-servers http://localhost:80 http://localhost:8080 --urls urls.txt --no-load --exit-code',
    'farmctl compare-servers http://localhost:80 http://localhost:8080 --urls urls.txt --host www.example.org --html before-and-after.html',
  ])
  act<Options>(command, async (tool, options, old = '', now = '') => {
    const bases = { old: readUrl(old), new: readUrl(now) }
    const comparison = await compareServers(tool, options, bases)
    if (options.html) writeFileSync(options.html, comparisonPage(comparison))
    if (options.markdown) writeFileSync(options.markdown, comparisonMarkdown(comparison))
    tool.show(comparison, () => linesOf(comparison))
    const { differences } = comparison
    if (options.exitCode && differences.length > 0) {
      throw new Difference(`${differences.length} differences between the answers.`)
    }
  })
}

function linesOf(comparison: Comparison): string[] {
  const { differences, runs } = comparison
  const rows = differences
    .slice(0, SHOWN)
    .map(({ path, aspect, old, new: now }) => [path, aspect, old, now])
  const more = differences.length - rows.length
  const doubts = doubtsOfAll(comparison)
  return [
    verdictOf(comparison),
    ...(rows.length > 0 ? ['', ...tableLines(['Path', 'What', 'Old', 'New'], rows)] : []),
    ...(more > 0 ? [`and ${more} more: --json has all of them`] : []),
    ...(runs.length > 0 ? ['', ...tableLines(RUN_TITLES, runs.map(runRow))] : []),
    ...(doubts.length > 0 ? ['', 'Not to be believed as it is', ...doubts] : []),
  ]
}
