// SPDX-License-Identifier: MIT
// What people do to one node: labels, what differs on it, its local changes, its end.
import type { Command } from 'commander'
import { type Api, bodyOf, collect, taggedBodyOf } from '../api.ts'
import type { Node } from '../api-types.ts'
import type { Manifest } from '../apply/manifests.ts'
import { nodeFileOf, planNode, printFile } from '../apply/nodes.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { type JsonObject, readDocument } from '../documents.ts'
import { EXIT } from '../exit-codes.ts'
import { atPosition, Failure } from '../failures.ts'
import { unifiedDiff } from '../line-diff.ts'
import { findNode, selectNodes } from '../nodes.ts'
import { readTextFile } from '../read-text.ts'
import { labelsText, logLine } from '../table.ts'
import { numberOf } from './configs.ts'
import { editManifest } from './edit-manifest.ts'
import { examples } from './examples.ts'
import { registerNodeList } from './node-list.ts'
import { registerNodeWhy } from './node-why.ts'
import { painter, type Review, reviewed } from './review.ts'

type Sure = { yes?: boolean }
type EndOptions = Sure & { selector?: string; disconnected?: boolean; allowEmpty?: boolean }
type DriftOptions = Sure & { adopt?: boolean; discard?: boolean; message?: string }
type OverrideOptions = Sure & { file?: string }

const NODE = 'name or id'

export function registerNodes(program: Command, act: Act): void {
  const nodes = program
    .command('nodes')
    .description('list nodes; of one node: labels, override, cordon, drift, log, end')
  registerNodeList(nodes, act)
  const label = nodes
    .command('label')
    .description('set labels (key=value) and remove them (key-)')
    .argument('<node>', NODE)
    .argument('<labels...>', 'zone=eu, canary-')
  examples(label, ['farmctl nodes label node-1 zone=eu tier=edge canary-'])
  act(label, (tool, _options, node = '', words: unknown = []) =>
    labelNode(tool, node, words as readonly string[]),
  )

  const override = nodes
    .command('override')
    .description(
      'show what differs on this node, or replace it from a file (a merge patch, RFC 7396)',
    )
    .argument('<node>', NODE)
    .option('-f, --file <file>', 'the new one; "-" is standard input')
    .option('-y, --yes', 'do not ask')
  examples(override, [
    'farmctl nodes override node-1 > node-1.jsonc',
    'farmctl nodes override node-1 -f node-1.jsonc',
  ])
  act<OverrideOptions>(override, overrideNode)

  const editing = reviewed(nodes.command('edit'))
    .description('change a node’s labels and override in your editor')
    .argument('<node>', NODE)
  examples(editing, ['farmctl nodes edit node-1'])
  act<Review>(editing, editNode)

  const drift = nodes
    .command('drift')
    .description('show what was changed on the node’s machine by hand; keep it or let it go')
    .argument('<node>', NODE)
    .option('--adopt', 'keep it: save it as a new version')
    .option('--discard', 'let it go: the node gets its assignment again')
    .option('-m, --message <text>', 'of the version that adopting makes')
    .option('-y, --yes', 'do not ask')
  examples(drift, [
    'farmctl nodes drift node-1',
    'farmctl nodes drift node-1 --adopt -m "Port changed during the night"',
  ])
  act<DriftOptions>(drift, driftOfNode)

  const log = nodes
    .command('log')
    .description('the end of the node’s error log, fetched from its machine')
    .argument('<node>', NODE)
    .option('-n, --lines <n>', 'how many lines, up to 500', '100')
  examples(log, ['farmctl nodes log node-1 -n 20'])
  act<{ lines: string }>(log, showLog)

  const rendered = nodes
    .command('rendered')
    .description('the text that the node would get, with its group’s and its own override in it')
    .argument('<node>', NODE)
    .option('--config <config[@version]>', 'of this config; else of what it is to run')
  examples(rendered, [
    'farmctl nodes rendered node-1',
    'farmctl nodes rendered node-1 --config default@7',
  ])
  act<{ config?: string }>(rendered, showRendered)

  registerNodeWhy(nodes, act)

  const cordon = nodes
    .command('cordon')
    .description('keep a node out of rollouts: it serves on what it has')
    .argument('<node>', NODE)
    .requiredOption('--reason <text>', 'for whoever finds it so')
  examples(cordon, ['farmctl nodes cordon node-1 --reason "Its disk is being replaced"'])
  act<{ reason: string }>(cordon, async (tool, { reason }, name = '') => {
    const api = tool.api()
    const path = { id: (await findNode(api, name)).id }
    await api.PUT('/api/v1/nodes/{id}/cordon', { params: { path }, body: { reason } })
    tool.show({ node: name, cordoned: true }, () => [
      `${name} is cordoned: rollouts skip it until “farmctl nodes uncordon ${name}”.`,
    ])
  })

  const uncordon = nodes
    .command('uncordon')
    .description('let rollouts have the node again, from the next one on')
    .argument('<node>', NODE)
  examples(uncordon, ['farmctl nodes uncordon node-1'])
  act(uncordon, async (tool, _options, name = '') => {
    const api = tool.api()
    const path = { id: (await findNode(api, name)).id }
    await api.DELETE('/api/v1/nodes/{id}/cordon', { params: { path } })
    const { sync } = await findNode(api, name)
    tool.show({ node: name, cordoned: false }, () => [`${name} is not cordoned. ${sync.reason}`])
  })

  const revoke = nodes
    .command('revoke')
    .description('end the node’s identity: it serves on, and is heard again with a new one')
    .argument('<node>', NODE)
    .option('-y, --yes', 'do not ask')
  examples(revoke, ['farmctl nodes revoke node-2 && farmctl enrol --node node-2'])
  act<Sure>(revoke, async (tool, { yes }, name = '') => {
    const api = tool.api()
    const path = { id: (await findNode(api, name)).id }
    await agree(tool, yes, `End the identity of ${name}?`)
    await api.DELETE('/api/v1/nodes/{id}/identity', { params: { path } })
    tool.show({ node: name, revoked: true }, () => [
      `${name} is heard no more. To bring it back: farmctl enrol --node ${name}`,
    ])
  })

  const decommission = nodes
    .command('decommission')
    .description('forget nodes; they serve on until they are stopped on their machines')
    .argument('[node]', NODE)
    .option('-l, --selector <selector>', 'all whose labels match, instead of one')
    .option('--disconnected', 'of those only the ones that are not heard now')
    .option('--allow-empty', 'also when no node matches')
    .option('-y, --yes', 'do not ask')
  examples(decommission, [
    'farmctl nodes decommission node-3',
    'farmctl nodes decommission -l pool=spot --disconnected --yes',
  ])
  act<EndOptions>(decommission, endNodes)
}

async function labelNode(tool: Tool, name: string, words: readonly string[]): Promise<void> {
  const api = tool.api()
  const path = { id: (await findNode(api, name)).id }
  const { body: node, etag } = await taggedBodyOf(
    api.GET('/api/v1/nodes/{id}', { params: { path } }),
  )
  const labels = { ...node.labels }
  for (const word of words) applyLabel(labels, word)
  const params = { path, header: { 'if-match': etag } }
  const changed = await bodyOf(api.PATCH('/api/v1/nodes/{id}', { params, body: { labels } }))
  // With dryRun it would be what the change touches.
  const after = 'labels' in changed ? changed.labels : labels
  tool.show(changed, () => [`${name}: ${labelsText(after) || 'no labels'}`])
}

function applyLabel(labels: Record<string, string>, word: string): void {
  const [, key = '', value] = /^([^=]+?)(?:=(.*)|-)$/.exec(word) ?? []
  if (!key) throw new Failure(`"${word}" is neither key=value nor key- (which removes it).`)
  if (value === undefined) delete labels[key]
  else labels[key] = value
}

async function overrideNode(tool: Tool, { file, yes }: OverrideOptions, name = ''): Promise<void> {
  const api = tool.api()
  const path = { id: (await findNode(api, name)).id }
  const { body, etag } = await taggedBodyOf(
    api.GET('/api/v1/nodes/{id}/override', { params: { path } }),
  )
  if (file === undefined) {
    tool.terminal.print(printFile(body.mergePatch))
    return
  }
  const mergePatch = await readPatch(tool, file)
  const diff = unifiedDiff(printFile(body.mergePatch), printFile(mergePatch))
  if (diff.length === 0) {
    tool.show({ mergePatch, changed: false }, () => ['No change.'])
    return
  }
  tool.terminal.note(diff.map(painter(tool)).join('\n'))
  await agree(tool, yes, `Change the override of ${name}? It counts with the next rollout.`)
  const params = { path, header: { 'if-match': etag } }
  await api.PUT('/api/v1/nodes/{id}/override', { params, body: { mergePatch } })
  tool.show({ mergePatch, changed: true }, () => [`${name}: the override is changed.`])
}

async function readPatch(tool: Tool, file: string): Promise<JsonObject> {
  const text = file === '-' ? await tool.terminal.readAll() : readTextFile(file)
  return readDocument(file, text, null)
}

async function editNode(tool: Tool, options: Review, nameOrId = ''): Promise<void> {
  const api = tool.api()
  const { name } = await findNode(api, nameOrId)
  const read = async () => printFile(await nodeFileOf(api, await findNode(api, name)))
  const plan = async (manifest: Manifest) =>
    planNode({ api, nodes: [await findNode(api, name)] }, manifest)
  await editManifest(tool, { kind: 'node', name, read, plan }, options)
}

async function driftOfNode(tool: Tool, options: DriftOptions, name = ''): Promise<void> {
  const api = tool.api()
  const path = { id: (await findNode(api, name)).id }
  const drift = await bodyOf(api.GET('/api/v1/nodes/{id}/drift', { params: { path } }))
  const { digest, text, assignedText } = drift
  const lines = unifiedDiff(assignedText ?? '', text).map(painter(tool))
  const action = actionOf(options)
  if (action === null) {
    tool.show(drift, () => [`--- as assigned`, `+++ as it is on ${name}`, ...lines])
    return
  }
  tool.terminal.note(lines.join('\n'))
  await agree(tool, options.yes, `${action === 'adopt' ? 'Keep' : 'Let go'} this change?`)
  const { message } = options
  const body = { action, digest, ...(message !== undefined && { message }) }
  const { version } = await bodyOf(api.POST('/api/v1/nodes/{id}/drift', { params: { path }, body }))
  tool.show({ action, version }, () => [
    version ? `Kept as ${version.config}@${version.number}.` : `${name} gets its assignment again.`,
  ])
}

function actionOf({ adopt, discard }: DriftOptions): 'adopt' | 'discard' | null {
  if (adopt && discard)
    throw new Failure('Keep it or let it go: --adopt and --discard exclude each other.')
  return adopt ? 'adopt' : discard ? 'discard' : null
}

async function showLog(tool: Tool, { lines }: { lines: string }, name = ''): Promise<void> {
  const api = tool.api()
  const path = { id: (await findNode(api, name)).id }
  const log = await bodyOf(
    api.POST('/api/v1/nodes/{id}/error-log', { params: { path }, body: { lines: Number(lines) } }),
  )
  tool.show(log, () => log.lines.map(logLine))
}

async function showRendered(tool: Tool, { config: what }: { config?: string }, name = '') {
  const api = tool.api()
  const path = { id: (await findNode(api, name)).id }
  const [config, which = 'latest'] = what?.split('@') ?? []
  const query = config === undefined ? {} : { config, version: await numberOf(api, config, which) }
  const found = await bodyOf(api.GET('/api/v1/nodes/{id}/rendered', { params: { path, query } }))
  const { text, version, errors } = found
  if (tool.json) tool.terminal.printJson(found)
  // To the byte, as an export is: it may be compared with what the node has.
  else await tool.terminal.write(text.endsWith('\n') ? text : `${text}\n`)
  if (errors.length === 0) return
  const source = `${version.config}@${version.number}`
  const lines = errors.map((error) => atPosition(source, error))
  throw new Failure(lines.join('\n'), EXIT.rejected)
}

async function endNodes(tool: Tool, options: EndOptions, name?: string): Promise<void> {
  const api = tool.api()
  const found = await nodesToEnd(api, options, name)
  const ended: { id: string; name: string }[] = []
  if (found.length > 0) {
    const names = found.map((node) => node.name).join(', ')
    const what = found.length === 1 ? names : `${found.length} nodes (${names})`
    await agree(tool, options.yes, `Forget ${what}? They must join again to come back.`)
  }
  for (const node of found) {
    await api.DELETE('/api/v1/nodes/{id}', { params: { path: { id: node.id } } })
    ended.push({ id: node.id, name: node.name })
  }
  const [first] = ended
  const isOne = name !== undefined && first !== undefined
  const shown = isOne ? { id: first.id, decommissioned: true } : { decommissioned: ended }
  tool.show(shown, () =>
    ended.length === 0
      ? ['No node matches: nothing was done.']
      : ended.map(
          (node) => `${node.name} is forgotten. It serves on until it is stopped on its machine.`,
        ),
  )
}

async function nodesToEnd(
  api: Api,
  { selector, disconnected = false, allowEmpty = false }: EndOptions,
  name: string | undefined,
): Promise<Node[]> {
  if ((name === undefined) === (selector === undefined)) {
    throw new Failure('Which nodes? Either a name, or --selector for all whose labels match.')
  }
  // An empty selector is every node: nobody means that in passing.
  if (selector?.trim() === '') throw new Failure('The selector is empty, which is every node.')
  const found =
    name !== undefined
      ? [await findNode(api, name)]
      : await collect(selectNodes(api, selector ?? ''))
  if (found.length === 0 && !allowEmpty) {
    throw new Failure(
      `No node matches "${selector}": nothing was done. --allow-empty says that this is no mistake.`,
    )
  }
  return found.filter((node) => !disconnected || !node.connected)
}
