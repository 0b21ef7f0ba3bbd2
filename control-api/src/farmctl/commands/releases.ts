// SPDX-License-Identifier: MIT
// Releases of files: pushed, listed, shown and compared.
import type { Command } from 'commander'
import { bodyOf, collect, pages } from '../api.ts'
import type { ChangeTotals, FileChange, Release, ReleaseVersion } from '../api-types.ts'
import type { Act, Tool } from '../command.ts'
import { Difference } from '../failures.ts'
import { collect as eachOf } from '../load/option-values.ts'
import { onNodesSentence, onNodesText } from '../releases/on-nodes.ts'
import { type Sent, sendAll, sendManifest, sendMissing, withTree } from '../releases/push.ts'
import type { Tree } from '../releases/tree.ts'
import { getVersion, latestOf } from '../releases/versions.ts'
import { age, outline, sizeText, tableLines } from '../table.ts'
import { examples } from './examples.ts'
import { registerNeighbours } from './releases-neighbours.ts'
import { registerPreview } from './releases-preview.ts'
import { registerRollOut } from './releases-roll-out.ts'
import { registerVerify } from './releases-verify.ts'

type PushOptions = {
  message?: string
  source?: string
  dryRun?: boolean
  again?: boolean
  exclude: string[]
}
type ListOptions = { limit: string }
type DiffOptions = { exitCode?: boolean; limit: string }

const NAME = 'the release’s name'

export function registerReleases(program: Command, act: Act): void {
  const releases = program.command('releases').description('the files of sites, as versions')

  const push = releases
    .command('push')
    .summary('make a version of a folder or a tar')
    .description(
      'Make a version of a folder, a tar (plain or gzip) or, with "-", a tar on standard input. Only contents that the control plane has not yet are sent; what broke off goes on when it is run again. Links within the tree stay links. The same files as the latest version make no new one.',
    )
    .argument('<release>', `${NAME}; its first version makes it`)
    .argument('<from>', 'a folder, a tar, or "-"')
    .option('-m, --message <text>', 'why; else from where')
    .option('--source <text>', 'of what it was made: a commit, a job of CI')
    .option(
      '--exclude <glob>',
      'leave out names, or paths with a "/" in it; again for more',
      eachOf,
      [],
    )
    .option('--dry-run', 'say what would change; only the list of files is sent, for a day')
    .option(
      '--again',
      'send all contents: those that the control plane’s disk has changed are put right',
    )
  examples(push, [
    'farmctl releases push www public/ -m "new start page"',
    'farmctl releases push www public/ --exclude .git --exclude "*.map" --dry-run',
    'tar -cz -C public . | farmctl releases push www - --source "git $COMMIT"',
  ])
  act<PushOptions>(push, pushRelease)

  const list = releases
    .command('list')
    .description('the releases there are, or the versions of one, newest first')
    .argument('[release]', NAME)
    .option('--limit <n>', 'at most so many', '50')
  examples(list, ['farmctl releases list', 'farmctl releases list www --limit 100 --json'])
  act<ListOptions>(list, listReleases)

  const show = releases
    .command('show')
    .description('one version: who made it, when, why, and how much is in it')
    .argument('<release>', NAME)
    .argument('[version]', 'a number or "latest"', 'latest')
  examples(show, ['farmctl releases show www', 'farmctl releases show www 3 --json'])
  act(show, showVersion)

  const diff = releases
    .command('diff')
    .summary('which files are added, changed and removed between two versions')
    .description(
      'Which files are added (+), changed (~) and removed (-) between two versions. Without TO: from FROM to the latest; without either: what the latest changed.',
    )
    .argument('<release>', NAME)
    .argument('[from]', 'a number or "latest"; else the parent of TO')
    .argument('[to]', 'likewise', 'latest')
    .option('--limit <n>', 'at most so many lines', '1000')
    .option('--exit-code', 'end with 1 when they differ, with 7 when that could not be told')
  examples(diff, [
    'farmctl releases diff www',
    'farmctl releases diff www 3',
    'farmctl releases diff www 3 5 --exit-code',
  ])
  act<DiffOptions>(diff, showDiff)

  registerRollOut(releases, act)
  registerPreview(releases, act)
  registerVerify(releases, act)
  registerNeighbours(releases, act)
}

async function pushRelease(
  tool: Tool,
  { message, source = '', dryRun, again, exclude }: PushOptions,
  name = '',
  from = '',
): Promise<void> {
  const api = tool.api()
  // Asked first: what somebody else makes meanwhile is not passed over in silence.
  const parent = await latestOf(api, name)
  await withTree(tool, { from, exclude }, async (tree) => {
    for (const one of tree.privateNames) {
      tool.terminal.note(
        `${one} is among the files, and whoever visits the site may get it. Leave it out with --exclude ${one}`,
      )
    }
    await sendManifest(tool, tree, again)
    if (dryRun) return await tellPlan(tool, { name, parent, tree })
    const sent = await (again ? sendAll(tool, tree) : sendMissing(tool, tree))
    const why = message ?? `Files of ${from === '-' ? 'standard input' : from}`
    const saved = await bodyOf(
      api.POST('/api/v1/releases/{name}/versions', {
        params: { path: { name } },
        body: { manifest: tree.sha256, parent, message: why, source },
      }),
    )
    tool.show({ ...saved, sent }, () => savedLines(saved, sent))
  })
}

function savedLines(saved: ReleaseVersion & { created: boolean }, sent: Sent): string[] {
  const { release, number, created, files, bytes, sinceParent } = saved
  const name = `${release}@${number}`
  const sentLine = `Sent: ${sent.contents} contents, ${sizeText(sent.bytes)}.`
  if (!created) {
    const line = `${name} has these very files already: no version was made.`
    return sent.contents === 0 ? [line] : [line, sentLine]
  }
  return [`${name}: ${files} files, ${sizeText(bytes)}; ${totalsText(sinceParent)}.`, sentLine]
}

async function tellPlan(
  tool: Tool,
  { name, parent, tree }: { name: string; parent: number | null; tree: Tree },
): Promise<void> {
  const api = tool.api()
  const before = parent === null ? null : await getVersion(api, name, String(parent))
  const params = {
    path: { sha256: tree.sha256 },
    query: { ...(before && { from: before.manifest }) },
  }
  const totals = await bodyOf(api.GET('/api/v1/manifests/{sha256}/change-totals', { params }))
  const { sha256: manifest, files, links, bytes } = tree
  tool.show({ release: name, parent, manifest, files, links, bytes, changes: totals }, () => [
    `Against ${before ? `${name}@${parent}` : 'nothing'}: ${totalsText(totals)}.`,
    'Nothing was made.',
  ])
}

const totalsText = ({ added, changed, removed, bytes }: ChangeTotals) =>
  `${added} added, ${changed} changed, ${removed} removed, ${sizeText(bytes)} new`

async function listReleases(tool: Tool, { limit }: ListOptions, name?: string): Promise<void> {
  const api = tool.api()
  const most = Number(limit)
  if (name === undefined) {
    const items = await collect(
      pages<Release>((query) => bodyOf(api.GET('/api/v1/releases', { params: { query } })), most),
    )
    tool.show({ items }, () =>
      tableLines(
        ['NAME', 'LATEST', 'FILES', 'SIZE', 'AUTHOR', 'VERSIONS', 'UPDATED'],
        items.map(({ name, latestVersion, latest, versions, updatedAt }) => [
          ...[name, String(latestVersion ?? ''), String(latest?.files ?? '')],
          ...[latest ? sizeText(latest.bytes) : '', latest?.author ?? ''],
          ...[String(versions), age(updatedAt)],
        ]),
      ),
    )
    return
  }
  const path = { name }
  const items = await collect(
    pages<ReleaseVersion>(
      (query) => bodyOf(api.GET('/api/v1/releases/{name}/versions', { params: { path, query } })),
      most,
    ),
  )
  tool.show({ items }, () =>
    tableLines(
      ['VERSION', 'FILES', 'SIZE', 'CHANGES', 'AUTHOR', 'AGE', 'ON NODES', 'MESSAGE'],
      items.map((one) => [
        ...[String(one.number), String(one.files), sizeText(one.bytes)],
        `+${one.sinceParent.added} ~${one.sinceParent.changed} -${one.sinceParent.removed}`,
        ...[one.author, age(one.createdAt), onNodesText(one.onNodes), one.message],
      ]),
    ),
  )
}

async function showVersion(tool: Tool, _options: unknown, name = '', which = 'latest') {
  const version = await getVersion(tool.api(), name, which)
  tool.show(version, () => [
    ...outline(version),
    `${name}@${version.number}: ${onNodesSentence(version.onNodes)}`,
  ])
}

async function showDiff(
  tool: Tool,
  { exitCode, limit }: DiffOptions,
  name = '',
  from: string | undefined = undefined,
  to = 'latest',
): Promise<void> {
  const api = tool.api()
  const after = await getVersion(api, name, to)
  const parent = from ?? (after.parent === null ? null : String(after.parent))
  const before = parent === null ? null : await getVersion(api, name, parent)
  const path = { sha256: after.manifest }
  const side = { ...(before && { from: before.manifest }) }
  const totals = await bodyOf(
    api.GET('/api/v1/manifests/{sha256}/change-totals', { params: { path, query: side } }),
  )
  const changes = await collect(
    pages<FileChange>((page) => {
      const params = { path, query: { ...side, ...page } }
      return bodyOf(api.GET('/api/v1/manifests/{sha256}/changes', { params }))
    }, Number(limit)),
  )
  const all = totals.added + totals.changed + totals.removed
  const [fromNumber, toNumber] = [before?.number ?? null, after.number]
  if (tool.json || all > 0) {
    tool.show({ release: name, from: fromNumber, to: toNumber, totals, changes }, () => [
      ...changes.map(changeLine),
      ...(changes.length < all ? [`… and ${all - changes.length} more (--limit)`] : []),
      `From ${fromNumber ?? 'nothing'} to ${toNumber}: ${totalsText(totals)}.`,
    ])
  } else tool.terminal.note('No difference.')
  if (exitCode && all > 0) throw new Difference('They differ.')
}

function changeLine({ path, before, after }: FileChange): string {
  const sign = before === null ? '+' : after === null ? '-' : '~'
  const size = after?.size ?? before?.size
  return `${sign} ${path}${size === undefined ? '' : `  ${sizeText(size)}`}`
}
