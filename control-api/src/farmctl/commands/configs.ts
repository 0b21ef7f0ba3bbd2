// SPDX-License-Identifier: MIT
// A config's texts: what changed, who did it, bring them out.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { type Api, bodyOf, collect, pages } from '../api.ts'
import { getVersion } from '../apply/configs.ts'
import { allGroups, groupFileOf } from '../apply/groups.ts'
import { nodeFileOf, printFile } from '../apply/nodes.ts'
import type { Act, Tool } from '../command.ts'
import { Difference, Failure } from '../failures.ts'
import { unifiedDiff } from '../line-diff.ts'
import { allNodes } from '../nodes.ts'
import { listVersions, resourceOf } from '../resources.ts'
import { tableLines } from '../table.ts'
import { examples } from './examples.ts'
import { painter } from './review.ts'

type DiffOptions = { exitCode?: boolean }
type HistoryOptions = { limit: string }
type ExportOptions = { output?: string; all?: string }

export function registerConfigs(parent: Command, act: Act): void {
  const diff = parent
    .command('diff')
    .summary('what changed between two versions, or a version and the draft')
    .description(
      'Show line by line what changed. Without TO: from FROM to the latest version. Without either: from the latest version to the draft.',
    )
    .argument('<config>', 'its name')
    .argument('[from]', 'a version’s number, "latest" or "draft"')
    .argument('[to]', 'likewise')
    .option('--exit-code', 'end with 1 when they differ, with 7 when that could not be told')
  examples(diff, [
    'farmctl diff default',
    'farmctl diff default 3',
    'farmctl diff default 3 5 --exit-code',
  ])
  act<DiffOptions>(diff, showDiff)

  const history = parent
    .command('history')
    .description('the versions of a config, newest first: who made them, when, why')
    .argument('<config>', 'its name')
    .option('--limit <n>', 'at most so many', '20')
  examples(history, ['farmctl history default', 'farmctl history default --limit 100 --json'])
  act<HistoryOptions>(history, showHistory)

  const exporting = parent
    .command('export')
    .summary('write a version’s text, byte for byte, or the whole farm as files')
    .description(
      'Write the author’s text of a version as it is, to standard output or a file. With --all: everything as the folder that `apply -f` takes.',
    )
    .argument('[config]', 'its name')
    .argument('[version]', 'a number, "latest" or "draft"', 'latest')
    .option('-o, --output <file>', 'where to; else standard output')
    .option('--all <dir>', 'everything, as files in this folder')
  examples(exporting, [
    'farmctl export default > site.jsonc',
    'farmctl export default 3 -o site-3.jsonc',
    'farmctl export --all farm/',
  ])
  act<ExportOptions>(exporting, exportTexts)
}

export async function textOf(api: Api, name: string, which: string): Promise<string> {
  const path = { name }
  if (which === 'draft') {
    const draft = bodyOf(api.GET('/api/v1/configs/{name}/draft', { params: { path } }))
    return (await draft).text
  }
  return (await getVersion(api, name, await numberOf(api, name, which))).text
}

export async function numberOf(api: Api, name: string, which: string): Promise<number> {
  if (/^[1-9]\d{0,8}$/.test(which)) return Number(which)
  if (which !== 'latest')
    throw new Failure(`"${which}" is no version: write a number, "latest" or "draft".`)
  const { latestVersion } = await bodyOf(
    api.GET('/api/v1/configs/{name}', { params: { path: { name } } }),
  )
  if (latestVersion !== null) return latestVersion
  throw new Failure(`"${name}" has no version yet. Make one: farmctl apply -f FILE --name ${name}`)
}

async function showDiff(
  tool: Tool,
  { exitCode }: DiffOptions,
  name = '',
  from = 'latest',
  to = from === 'latest' ? 'draft' : 'latest',
): Promise<void> {
  const api = tool.api()
  const lines = unifiedDiff(await textOf(api, name, from), await textOf(api, name, to))
  if (tool.json || lines.length > 0) {
    const head = [`--- ${name}@${from}`, `+++ ${name}@${to}`]
    tool.show({ config: name, from, to, lines }, () => [...head, ...lines].map(painter(tool)))
  } else tool.terminal.note('No difference.')
  if (exitCode && lines.length > 0) throw new Difference('They differ.')
}

async function showHistory(tool: Tool, { limit }: HistoryOptions, name = ''): Promise<void> {
  const items = await collect(listVersions(tool.api(), name, Number(limit)))
  const columns = resourceOf('versions').columns.filter(({ isWide }) => !isWide)
  tool.show({ items }, () =>
    tableLines(
      columns.map(({ title }) => title),
      items.map((item) => columns.map(({ of }) => of(item))),
    ),
  )
}

async function exportTexts(
  tool: Tool,
  { output, all }: ExportOptions,
  name?: string,
  version = 'latest',
): Promise<void> {
  if (all !== undefined) await exportAll(tool, all)
  else if (name === undefined) throw new Failure('Which config? Or everything: --all DIR')
  else {
    const text = await textOf(tool.api(), name, version)
    if (output === undefined) await tool.terminal.write(text)
    else writeNew(output, text)
  }
}

async function exportAll(tool: Tool, dir: string): Promise<void> {
  const api = tool.api()
  const files: string[] = []
  const put = (folder: string, name: string, text: string) => {
    files.push(join(dir, folder, `${name}.jsonc`))
    writeNew(join(dir, folder, `${name}.jsonc`), text)
  }
  for await (const { name, latestVersion } of allConfigs(api)) {
    // A draft alone is nobody's word yet.
    if (latestVersion === null) continue
    put('configs', name, await textOf(api, name, 'latest'))
  }
  const groups = await allGroups(api)
  for (const group of groups) put('groups', group.name, printFile(groupFileOf(group)))
  const names = groups.filter(({ isDefault }) => !isDefault).map(({ name }) => name)
  put('', 'group-order', printFile({ names }))
  for await (const node of allNodes(api)) {
    put('nodes', node.name, printFile(await nodeFileOf(api, node)))
  }
  tool.show({ files }, () => files)
}

const allConfigs = (api: Api) =>
  pages((query) => bodyOf(api.GET('/api/v1/configs', { params: { query } })))

function writeNew(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
