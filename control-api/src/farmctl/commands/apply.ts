// SPDX-License-Identifier: MIT
// apply -f: shows what would be done, asks, does it. The same files a second time do nothing.
import type { Command } from 'commander'
import { collect } from '../api.ts'
import { isOvertaken } from '../apply/configs.ts'
import { readManifests } from '../apply/manifests.ts'
import { planAll } from '../apply/plan.ts'
import { describeSteps, type Step, viewStep } from '../apply/steps.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failures.ts'
import { allNodes } from '../nodes.ts'
import { examples } from './examples.ts'

type Options = {
  file: string[]
  name?: string
  prune?: boolean
  dryRun?: boolean
  exitCode?: boolean
  yes?: boolean
  message?: string
}

export function registerApply(parent: Command, act: Act): void {
  const apply = parent
    .command('apply')
    .summary('make the farm as the files say; the plan is shown first')
    .description(
      'Make the farm as files say. What would be done is shown first and asked for; the same files again do nothing. A folder holds configs/NAME.jsonc, groups/NAME.jsonc and nodes/NAME.jsonc (docs/farmctl.md); any other file is the config it is named after. Nodes get a new version with a rollout.',
    )
    .requiredOption('-f, --file <path>', 'file, folder or "-"; repeat for more', gather)
    .option('--name <config>', 'of which config the file is; needed with "-"')
    .option('-m, --message <text>', 'why, for the history; needed when a version is made')
    .option('--prune', 'remove what the folder does not have and the API lets be removed')
    .option('--dry-run', 'show the plan only')
    .option('--exit-code', 'with --dry-run: end with 1 when something would be done')
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
  const { name, dryRun = false } = options
  const folder = await readManifests(options.file, {
    name,
    readStdin: () => tool.terminal.readAll(),
  })
  const api = tool.api()
  const nodes = await collect(allNodes(api))
  const message = () => options.message ?? ''
  const steps = await planAll({ api, nodes, message }, folder)
  const work = steps.filter(({ run }) => run !== null)
  if (!tool.json) tool.terminal.print(describeSteps(steps, painter(tool)).join('\n'))
  if (dryRun || work.length === 0) {
    if (tool.json) tool.show({ steps: steps.map(viewStep), applied: false }, () => [])
    if (dryRun && options.exitCode && work.length > 0)
      throw new Failure('There is something to do.')
    return
  }
  requireMessage(work, options)
  await agree(tool, options.yes, 'Do this?')
  const done = await carryOut(tool, work)
  if (tool.json) tool.show({ steps: steps.map(viewStep), applied: true, done }, () => [])
}

function requireMessage(work: readonly Step[], { message }: Options): void {
  if (message?.trim() || !work.some(({ kind }) => kind === 'config')) return
  throw new Failure('Nothing was done: a new version needs a reason. Add --message "why".')
}

async function carryOut(tool: Tool, work: readonly Step[]): Promise<string[]> {
  const done: string[] = []
  for (const { kind, name, run } of work) {
    try {
      const said = await run?.()
      if (said === undefined) continue
      done.push(said)
      if (!tool.json) tool.terminal.print(said)
    } catch (error) {
      tool.terminal.error(
        `${kind} ${name} failed; ${done.length} of ${work.length} steps were done. Apply again to go on.`,
      )
      if (isOvertaken(error) && error instanceof Error) {
        throw new Failure(
          `${error.message}\nRun apply again: it shows what changed.`,
          EXIT.conflict,
        )
      }
      throw error
    }
  }
  return done
}

export const painter =
  ({ terminal }: Tool) =>
  (line: string) => {
    if (line.startsWith('+')) return terminal.style('green', line)
    if (line.startsWith('-')) return terminal.style('red', line)
    return line.startsWith('@@') ? terminal.style('cyan', line) : line
  }
