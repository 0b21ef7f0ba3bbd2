// SPDX-License-Identifier: MIT
// Nodes that give each other the contents of releases: whether and how, how it stands, and whom nobody trusts.
import type { Command } from 'commander'
import { bodyOf, taggedBodyOf } from '../api.ts'
import type { NeighbourSettings, NeighboursNow } from '../api-types.ts'
import type { Act } from '../command.ts'
import { Failure } from '../failures.ts'
import { findNode } from '../nodes.ts'
import { age, sizeText } from '../table.ts'
import { examples } from './examples.ts'

type Flags = {
  zoneLabel?: string
  acrossZones?: string
  maxBytesPerSecond?: string
  atOnce?: string
}

const URL = '/api/v1/neighbours'
const OFF = 'off'
const ANY = 'any'

export function registerNeighbours(releases: Command, act: Act): void {
  const neighbours = releases
    .command('neighbours')
    .description('whether nodes of one zone give each other the contents of releases')
  const get = neighbours.command('get').description('the setting, and how it stands now')
  examples(get, ['farmctl releases neighbours get', 'farmctl releases neighbours get --json'])
  act(get, async (tool) => {
    const api = tool.api()
    const [settings, now] = await Promise.all([
      bodyOf(api.GET(URL, {})),
      bodyOf(api.GET(`${URL}/now`, {})),
    ])
    tool.show({ settings, now }, () => [...settingLines(settings), ...nowLines(now)])
  })

  const set = neighbours
    .command('set')
    .description('change some of it; what is not said stays')
    .option('--zone-label <key>', 'nodes with the same value of it are a zone; "off" ends it')
    .option('--across-zones <yes|no>', 'the first node of a zone takes from another zone')
    .option('--max-bytes-per-second <n>', 'of all that one node gives; "any"')
    .option('--at-once <n>', 'to so many others one node gives at once, 1 to 8')
  examples(set, [
    'farmctl releases neighbours set --zone-label zone',
    'farmctl releases neighbours set --across-zones yes --max-bytes-per-second 20000000',
    'farmctl releases neighbours set --zone-label off',
  ])
  act<Flags>(set, async (tool, flags) => {
    const api = tool.api()
    const { body: before, etag } = await taggedBodyOf(api.GET(URL, {}))
    const params = { header: { 'if-match': etag } }
    const after = await bodyOf(api.PUT(URL, { params, body: changed(before, flags) }))
    tool.show(after, () => settingLines(after))
  })

  const trust = neighbours
    .command('trust')
    .description('name a node to others again that gave wrong bytes, once you have looked at it')
    .argument('<node>', 'the node’s name or id')
  examples(trust, ['farmctl releases neighbours trust node-1'])
  act(trust, async (tool, _options, name = '') => {
    const api = tool.api()
    const path = { id: (await findNode(api, name)).id }
    await api.DELETE('/api/v1/nodes/{id}/neighbour/distrust', { params: { path } })
    tool.show({ node: name, trusted: true }, () => [`${name} is named to others again.`])
  })
}

/** What is not said stays. */
function changed(
  before: NeighbourSettings,
  { zoneLabel, acrossZones, maxBytesPerSecond, atOnce }: Flags,
): NeighbourSettings {
  return {
    zoneLabel: zoneLabel === undefined ? before.zoneLabel : zoneLabel === OFF ? null : zoneLabel,
    acrossZones: acrossZones === undefined ? before.acrossZones : readYes(acrossZones),
    maxBytesPerSecond:
      maxBytesPerSecond === undefined
        ? before.maxBytesPerSecond
        : maxBytesPerSecond === ANY
          ? null
          : readNumber('--max-bytes-per-second', maxBytesPerSecond),
    atOnce: atOnce === undefined ? before.atOnce : readNumber('--at-once', atOnce),
  }
}

function readYes(text: string): boolean {
  if (text === 'yes' || text === 'no') return text === 'yes'
  throw new Failure(`--across-zones: "${text}" is neither yes nor no.`)
}

function readNumber(flag: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new Failure(`${flag}: "${text}" is no number.`)
}

function settingLines(settings: NeighbourSettings): string[] {
  const { zoneLabel, acrossZones, maxBytesPerSecond, atOnce } = settings
  if (zoneLabel === null) return ['Neighbours: off. All nodes fetch from the control plane.']
  const rate = maxBytesPerSecond === null ? 'any rate' : `${sizeText(maxBytesPerSecond)}/s`
  return [
    `Neighbours: nodes with the same label "${zoneLabel}" give each other releases`,
    `A zone’s first node takes from: ${acrossZones ? 'another zone that has it' : 'the control plane'}`,
    `One node gives to: ${atOnce} at once, at ${rate}`,
  ]
}

function nowLines({ giving, taking, waiting, fetching, distrusted, ...now }: NeighboursNow) {
  return [
    `Nodes now: ${giving} give, ${taking} take, ${waiting} wait, ${fetching} fetch from the control plane`,
    `Taken from neighbours: ${sizeText(now.takenBytes)}`,
    ...distrusted.map(
      ({ node, toldBy, at }) =>
        `Not trusted: ${node.name} gave wrong bytes to ${toldBy.name} ${age(at)} ago`,
    ),
    ...(now.moreDistrusted > 0 ? [`and ${now.moreDistrusted} more`] : []),
  ]
}
