// SPDX-License-Identifier: MIT
// Backups, and the control plane that was restored from one. To restore is done on its machine (admin/program.ts).
import { createHash } from 'node:crypto'
import { createReadStream, renameSync, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Api, bodyOf } from '../api.ts'
import type { Backup } from '../api-types.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failures.ts'
import { resourceOf } from '../resources.ts'
import { outline } from '../table.ts'
import { writeStream } from './audit.ts'
import { examples } from './examples.ts'
import { listResource } from './get.ts'

type CreateOptions = { wait: boolean }
type DownloadOptions = { output?: string }
type ConfirmOptions = { withoutUnheard?: boolean; yes?: boolean }
type Sure = { yes?: boolean }

const POLL_MS = 300
const WHICH = 'its id; without it the newest that is done'

export function registerBackup(program: Command, act: Act): void {
  const backup = program.command('backup').description('encrypted copies of the control plane')
  const create = backup
    .command('create')
    .description('make one now, and wait until it is done')
    .option('--no-wait', 'do not wait')
  examples(create, ['farmctl backup create && farmctl backup download -o control.age'])
  act<CreateOptions>(create, createBackup)

  const list = backup.command('list').description('the backups there are, newest first')
  examples(list, ['farmctl backup list'])
  act(list, (tool) => listResource(tool, resourceOf('backups')))

  const download = backup
    .command('download')
    .description('fetch one and check its digest; it stays encrypted')
    .argument('[id]', WHICH)
    .option('-o, --output <file>', 'where to, "-" for standard output; else its own name')
  examples(download, [
    'farmctl backup download',
    'farmctl backup download -o - | ssh vault "cat > control.age"',
  ])
  act<DownloadOptions>(download, downloadBackup)

  const remove = backup
    .command('remove')
    .description('delete one with its file')
    .argument('<id>', 'as in the list')
    .option('-y, --yes', 'do not ask')
  examples(remove, ['farmctl backup remove backup_01jd4q6v2m8w3x5y7z9abcdefg'])
  act<Sure>(remove, async (tool, { yes }, id = '') => {
    await agree(tool, yes, `Delete ${id} and its file?`)
    await tool.api().DELETE('/api/v1/backups/{id}', { params: { path: { id } } })
    tool.show({ removed: id }, () => [`${id} is deleted.`])
  })
  registerRecovery(program, act)
}

async function createBackup(tool: Tool, { wait }: CreateOptions): Promise<void> {
  const api = tool.api()
  const begun = await bodyOf(api.POST('/api/v1/backups'))
  const made = wait ? await ended(api, begun, tool) : begun
  tool.show(made, () => [`${made.id}: ${made.state}${made.reason && `: ${made.reason}`}`])
  if (made.state === 'failed') throw new Failure('There is no backup.')
}

async function ended(api: Api, begun: Backup, { stop, terminal }: Tool): Promise<Backup> {
  let now = begun
  const params = { path: { id: begun.id } }
  while (now.state === 'running' && !stop.aborted) {
    terminal.progress(`${now.fileName} is being made`)
    await sleep(POLL_MS, undefined, { signal: stop }).catch(() => {})
    now = await bodyOf(api.GET('/api/v1/backups/{id}', { params }))
  }
  return now
}

async function downloadBackup(tool: Tool, { output }: DownloadOptions, id?: string) {
  const api = tool.api()
  const backup = await findBackup(api, id)
  const { body } = await api.send(
    new Request(`${api.url}/api/v1/backups/${encodeURIComponent(backup.id)}/content`),
  )
  if (!body) throw new Failure('The control plane answered without a body.')
  if (output === '-') {
    await writeStream(tool, body, undefined)
    return
  }
  const file = output ?? backup.fileName
  await writeChecked(tool, body, { file, sha256: backup.sha256 })
  tool.show({ ...backup, file }, () => [
    `${file}: ${backup.sizeBytes} bytes, as their digest says.`,
  ])
}

async function findBackup(api: Api, id: string | undefined): Promise<Backup> {
  if (id !== undefined) {
    return bodyOf(api.GET('/api/v1/backups/{id}', { params: { path: { id } } }))
  }
  const { items } = await bodyOf(api.GET('/api/v1/backups'))
  const newest = items.find(({ state }) => state === 'done')
  if (newest) return newest
  throw new Failure('There is no backup yet. Make one: farmctl backup create')
}

/** Under another name until it is whole: a backup that nobody can open is none. */
async function writeChecked(
  tool: Tool,
  body: ReadableStream<Uint8Array>,
  { file, sha256 }: { file: string; sha256: string | null },
): Promise<void> {
  const part = `${file}.part`
  await writeStream(tool, body, part)
  const hash = createHash('sha256')
  await pipeline(createReadStream(part), hash)
  if (hash.digest('hex') === sha256) {
    renameSync(part, file)
    return
  }
  rmSync(part)
  throw new Failure(`${file} did not come whole: its digest is another one. Fetch it again.`)
}

function registerRecovery(program: Command, act: Act): void {
  const recovery = program
    .command('recovery')
    .description('the control plane after it was restored from a backup')
  const status = recovery
    .command('status')
    .description('whether it waits to be confirmed, and for which nodes; 4 when it waits')
  examples(status, ['farmctl recovery status'])
  act(status, async (tool) => {
    const state = await bodyOf(tool.api().GET('/api/v1/recovery'))
    tool.show(state, () =>
      state.recovery ? outline(state.recovery) : ['It is not in recovery: all goes its way.'],
    )
    if (state.recovery) throw new Failure('It waits: farmctl recovery confirm', EXIT.inconclusive)
  })

  const confirm = recovery
    .command('confirm')
    .description('say that this is the control plane of these nodes, and no other one runs')
    .option('--without-unheard', 'do not wait for nodes that said nothing yet')
    .option('-y, --yes', 'do not ask')
  examples(confirm, ['farmctl recovery confirm', 'farmctl recovery confirm --without-unheard'])
  act<ConfirmOptions>(confirm, async (tool, { withoutUnheard = false, yes }) => {
    await agree(
      tool,
      yes,
      'Does no other control plane of these nodes run, and does this one go on?',
    )
    const body = { withoutUnheard }
    const state = await bodyOf(tool.api().POST('/api/v1/recovery/confirm', { body }))
    tool.show(state, () => ['It goes on.'])
  })
}
