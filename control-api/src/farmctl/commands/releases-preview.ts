// SPDX-License-Identifier: MIT
// Versions of releases on a node under a name of their own, before they go to visitors.
import type { Command } from 'commander'
import { bodyOf } from '../api.ts'
import type { ReleasePreview } from '../api-types.ts'
import type { Act, Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { findNode } from '../nodes.ts'
import { getVersion } from '../releases/versions.ts'
import { tableLines } from '../table.ts'
import { examples } from './examples.ts'
import { secondsOf } from './times.ts'

type StartOptions = { node: string; for: string; wait?: boolean }

const HOUR_S = 3600
const EVERY_MS = 1000
/** That a node comes no further for so long is told, and is no reason to end what was begun. */
const WAIT_MS = 10 * 60_000

export function registerPreview(releases: Command, act: Act): void {
  const preview = releases
    .command('preview')
    .description('versions on a node under a name of their own, for who has the password')

  const start = preview
    .command('start')
    .summary('show a version on a node; its password is printed once')
    .description(
      'The node fetches the version beside what it serves, and shows it under a name of its own with the rules of its site, to who has the password. Visitors notice nothing. Without a number: the latest version. The names are those of FARMSTEAD_PREVIEW_HOST of the control plane; that they lead to the node is for DNS.',
    )
    .argument('<release[=version]>', 'the release’s name, and which version of it')
    .requiredOption('--node <name>', 'one that serves the release')
    .option('--for <time>', 'when it ends by itself, in whole hours: 2h, 3d; at most 7d', '24h')
    .option('--wait', 'until it is shown')
  examples(start, [
    'farmctl releases preview start www --node edge-1',
    'farmctl releases preview start www=41 --node edge-1 --for 2h --wait',
  ])
  act<StartOptions>(start, startPreview)

  const list = preview
    .command('list')
    .description('which versions of a release are shown so, where and until when')
    .argument('<release>', 'the release’s name')
  examples(list, ['farmctl releases preview list www', 'farmctl releases preview list www --json'])
  act(list, listPreviews)

  const end = preview
    .command('end')
    .description('end a preview')
    .argument('<release>', 'the release’s name')
    .argument('<id>', 'as the list has it')
  examples(end, ['farmctl releases preview end www preview_01jdq8z6v9k3m5n7p2r4t6w8xa'])
  act(end, endPreview)
}

async function startPreview(
  tool: Tool,
  { node: nameOrId, for: time, wait }: StartOptions,
  what = '',
): Promise<void> {
  const api = tool.api()
  const [name = '', which = 'latest'] = what.split('=')
  const seconds = secondsOf('--for', time)
  if (seconds % HOUR_S !== 0) throw new Failure(`--for is a time in whole hours, not "${time}".`)
  const node = await findNode(api, nameOrId)
  const { number } = await getVersion(api, name, which.replace(/^v/, ''))
  const started = await bodyOf(
    api.POST('/api/v1/releases/{name}/versions/{number}/previews', {
      params: { path: { name, number } },
      body: { nodeId: node.id, hours: seconds / HOUR_S },
    }),
  )
  const { url, username, password, endsAt } = started
  tool.show(started, () => [
    `${name}@${number} on ${node.name}, until ${endsAt}:`,
    `  ${url ?? started.host}`,
    `  user ${username}, password ${password}`,
    'The password is not shown again.',
  ])
  if (wait) await untilShown(tool, started)
}

async function untilShown(tool: Tool, { release, id, node }: ReleasePreview): Promise<void> {
  const deadline = Date.now() + WAIT_MS
  for (;;) {
    const one = (await previewsOf(tool, release)).find((other) => other.id === id)
    if (!one) throw new Failure('The preview has ended.')
    if (one.state === 'shown') return tool.terminal.note('It is shown.')
    if (!PASSING.has(one.state) || Date.now() > deadline) {
      throw new Failure(`${node.name} does not show it: ${stateText(one)}.`)
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
}

const PASSING: ReadonlySet<ReleasePreview['state']> = new Set(['fetching', 'away'])

const STATES = {
  shown: 'shown',
  fetching: 'its files are on their way',
  refused: 'the node could not get it',
  away: 'the node is not heard',
  unable: 'the node’s program is too old',
  'not-served': 'the node’s config names the release no more',
} satisfies Record<ReleasePreview['state'], string>

const stateText = ({ state, error }: ReleasePreview) =>
  error ? `${STATES[state]} (${error.message})` : STATES[state]

const previewsOf = async (tool: Tool, name: string): Promise<ReleasePreview[]> =>
  (await bodyOf(tool.api().GET('/api/v1/releases/{name}/previews', { params: { path: { name } } })))
    .items

async function listPreviews(tool: Tool, _options: unknown, name = ''): Promise<void> {
  const items = await previewsOf(tool, name)
  tool.show({ items }, () =>
    tableLines(
      ['ID', 'VERSION', 'NODE', 'URL', 'UNTIL', 'BY', 'STATE'],
      items.map((one) => [
        ...[one.id, String(one.number), one.node.name, one.url ?? one.host],
        ...[one.endsAt, one.createdBy, stateText(one)],
      ]),
    ),
  )
}

async function endPreview(tool: Tool, _options: unknown, name = '', id = ''): Promise<void> {
  const params = { path: { name, id } }
  await tool.api().DELETE('/api/v1/releases/{name}/previews/{id}', { params })
  tool.show({ id }, () => [`Ended: ${id}`])
}
