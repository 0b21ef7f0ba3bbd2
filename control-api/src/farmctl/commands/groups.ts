// SPDX-License-Identifier: MIT
// Groups: each command plans as apply does, so whom it touches is shown first.
import type { Command } from 'commander'
import { bodyOf } from '../api.ts'
import { allGroups, groupFileOf, planGroup, planOrder, planRemoval } from '../apply/groups.ts'
import type { Manifest } from '../apply/manifests.ts'
import { printFile } from '../apply/nodes.ts'
import type { Act, Tool } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failures.ts'
import { editManifest } from './edit-manifest.ts'
import { examples } from './examples.ts'
import { type Review, review, reviewed } from './review.ts'
import { hoursOf } from './times.ts'

type CreateOptions = Review & {
  selector: string
  config?: string
  description?: string
  forgetAfter?: string
}

const NONE_COMING = new Set<string>()

export function registerGroups(program: Command, act: Act): void {
  const groups = program
    .command('groups')
    .description('which nodes belong together, what they get; a node is in the first that matches')
  const create = reviewed(groups.command('create'))
    .description('make a group; it is asked before the default group')
    .argument('<name>', 'what to call it')
    .requiredOption('--selector <selector>', 'which labels its nodes have')
    .option('--config <config>', 'what they get; without it none')
    .option('--description <text>', 'what it is for')
    .option('--forget-after <hours>', 'nodes of it that were away for so long are decommissioned')
  examples(create, [
    "farmctl groups create edge --selector 'tier=edge,!canary' --config default",
    'farmctl groups create spot --selector pool=spot --forget-after 6',
    'farmctl groups create canary --selector canary --config next --dry-run',
  ])
  act<CreateOptions>(create, createGroup)

  const editing = reviewed(groups.command('edit'))
    .description('change a group’s selector, config and override in your editor')
    .argument('<name>', 'which')
  examples(editing, ['farmctl groups edit edge', 'EDITOR=nano farmctl groups edit default'])
  act<Review>(editing, editGroup)

  const order = reviewed(groups.command('order'))
    .description('show in which order groups are asked, or put these first, in this order')
    .argument('[names...]', 'groups; the default one is always the last')
  examples(order, ['farmctl groups order', 'farmctl groups order canary edge --dry-run'])
  act<Review>(order, (tool, options, names: unknown = []) =>
    orderGroups(tool, options, names as readonly string[]),
  )

  const remove = reviewed(groups.command('remove'))
    .description('remove a group; its nodes go to the next that matches')
    .argument('<name>', 'which')
  examples(remove, ['farmctl groups remove canary', 'farmctl groups remove canary --dry-run'])
  act<Review>(remove, async (tool, options, name = '') =>
    review(tool, [await planRemoval(tool.api(), name)], options),
  )
}

async function createGroup(tool: Tool, options: CreateOptions, name = ''): Promise<void> {
  const { selector, config = null, description = '', forgetAfter } = options
  const forgetAfterHours = forgetAfter === undefined ? null : hoursOf(forgetAfter)
  const text = printFile({ description, selector, config, forgetAfterHours })
  const manifest: Manifest = { kind: 'group', name, file: name, text }
  const step = await planGroup({ api: tool.api(), coming: NONE_COMING }, manifest)
  if (step.action !== 'create') {
    const message = `There is a group "${name}" already. Change it: farmctl groups edit ${name}`
    throw new Failure(message, EXIT.conflict)
  }
  await review(tool, [step], options)
}

async function editGroup(tool: Tool, options: Review, name = ''): Promise<void> {
  const api = tool.api()
  const params = { path: { name } }
  const read = async () =>
    printFile(groupFileOf(await bodyOf(api.GET('/api/v1/groups/{name}', { params }))))
  const plan = (manifest: Manifest) => planGroup({ api, coming: NONE_COMING }, manifest)
  await editManifest(tool, { kind: 'group', name, read, plan }, options)
}

async function orderGroups(tool: Tool, options: Review, names: readonly string[]): Promise<void> {
  const api = tool.api()
  if (names.length === 0) {
    const order = await bodyOf(api.GET('/api/v1/group-order'))
    tool.show(order, () => order.names)
    return
  }
  const known = (await allGroups(api)).filter(({ isDefault }) => !isDefault)
  const manifest: Manifest = {
    kind: 'group-order',
    name: 'group-order',
    file: 'names',
    text: printFile({ names }),
  }
  await review(
    tool,
    [
      await planOrder(
        api,
        manifest,
        known.map(({ name }) => name),
      ),
    ],
    options,
  )
}
