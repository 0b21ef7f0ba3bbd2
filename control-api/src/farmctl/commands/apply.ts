// SPDX-License-Identifier: MIT
// apply -f: shows what would be done, asks, does it. The same files a second time do nothing.
import { type Command, Option } from 'commander'
import { collect } from '../api.ts'
import { type Kind, readManifests } from '../apply/manifests.ts'
import { planAll } from '../apply/plan.ts'
import type { Step } from '../apply/steps.ts'
import type { Act, Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { allNodes } from '../nodes.ts'
import { examples } from './examples.ts'
import { type Review, review } from './review.ts'

type Options = Review & {
  file: string[]
  name?: string
  kind?: Kind
  prune?: boolean
  message?: string
}

export function registerApply(parent: Command, act: Act): void {
  const apply = parent
    .command('apply')
    .summary('make the farm as the files say; the plan is shown first')
    .description(
      'Make the farm as files say. What would be done is shown first and asked for; the same files again do nothing. A folder holds configs/NAME.jsonc, groups/NAME.jsonc, group-order.jsonc and nodes/NAME.jsonc (docs/farmctl.md); any other file is the config it is named after. Nodes get a new version with a rollout.',
    )
    .requiredOption('-f, --file <path>', 'file, folder or "-"; repeat for more', gather)
    .option('--name <name>', 'of which config, group or node the file is; needed with "-"')
    .addOption(
      new Option('--kind <kind>', 'what the file is, where its folder does not say it').choices([
        'config',
        'group',
        'node',
      ]),
    )
    .option('-m, --message <text>', 'why, for the history; needed when a version is made')
    .option('--prune', 'remove what the folder does not have and the API lets be removed')
    .option('--dry-run', 'show the plan only')
    .option(
      '--exit-code',
      'with --dry-run: end with 1 when something would be done, with 7 on failure',
    )
    .option('-y, --yes', 'do not ask')
  examples(apply, [
    'farmctl apply -f site.jsonc --name default -m "Longer timeouts"',
    'farmctl apply -f farm/ --dry-run',
    'farmctl apply -f farm/ --prune --yes -m "$(git log -1 --format=%s)"',
    'sed s/8080/8081/ site.jsonc | farmctl apply -f - --name default --yes -m "Another port"',
  ])
  act<Options>(apply, applyFiles)
}

const gather = (path: string, paths: string[] = []) => [...paths, path]

async function applyFiles(tool: Tool, options: Options): Promise<void> {
  const { name, kind, prune = false } = options
  const readStdin = () => tool.terminal.readAll()
  const folder = await readManifests(options.file, { name, kind, readStdin })
  const api = tool.api()
  const nodes = await collect(allNodes(api))
  const message = () => options.message ?? ''
  const steps = await planAll({ api, nodes, message, prune }, folder)
  await review(tool, steps, options, (work) => requireMessage(work, options))
}

function requireMessage(work: readonly Step[], { message }: Options): void {
  if (message?.trim() || !work.some(({ kind }) => kind === 'config')) return
  throw new Failure('Nothing was done: a new version needs a reason. Add --message "why".')
}
