// SPDX-License-Identifier: MIT
// New versions of texts that exist already: somebody else's file, or an old version.
import type { Command } from 'commander'
import { bodyOf } from '../api.ts'
import { latestVersion } from '../apply/configs.ts'
import type { Act, Tool } from '../command.ts'
import { locate } from '../failures.ts'
import { readTextFile } from '../read-text.ts'
import { numberOf } from './configs.ts'
import { examples } from './examples.ts'

type Options = { message: string }

export function registerVersions(parent: Command, act: Act): void {
  const restore = parent
    .command('restore')
    .description('save an old version’s text as a new version')
    .argument('<config>', 'its name')
    .argument('<version>', 'the old one’s number')
    .requiredOption('-m, --message <text>', 'why, for the history')
  examples(restore, ['farmctl restore default 3 -m "The new timeouts were too short"'])
  act<Options>(restore, restoreVersion)
}

/** Somebody else's file, as a version of the config. */
export async function importFile(
  tool: Tool,
  { message }: Options,
  [name = '', file = '']: readonly string[],
): Promise<void> {
  const text = file === '-' ? await tool.terminal.readAll() : readTextFile(file)
  const api = tool.api()
  const parent = (await latestVersion(api, name))?.number ?? null
  const body = { text, message, parent, source: 'import' as const }
  const params = { path: { name } }
  const saving = bodyOf(api.POST('/api/v1/configs/{name}/versions', { params, body }))
  tell(tool, name, (await locate(file, saving)).number)
}

async function restoreVersion(
  tool: Tool,
  { message }: Options,
  name = '',
  version = '',
): Promise<void> {
  const api = tool.api()
  const path = { name, number: await numberOf(api, name, version) }
  const parent = await numberOf(api, name, 'latest')
  const url = '/api/v1/configs/{name}/versions/{number}/actions/restore'
  const body = { message, parent }
  tell(tool, name, (await bodyOf(api.POST(url, { params: { path }, body }))).number)
}

const tell = (tool: Tool, config: string, version: number) =>
  tool.show({ config, version }, () => [
    `${config}: version ${version}. To the nodes: farmctl rollout start ${config}@${version}`,
  ])
