// SPDX-License-Identifier: MIT
// edit: the draft in one's own editor. Nothing typed is lost: what could not be saved is a file that is named.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { type Api, bodyOf, taggedBodyOf } from '../api.ts'
import { requireValid } from '../apply/configs.ts'
import type { Act, Tool } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { explain, Failure, isApiError, locate } from '../failures.ts'
import { unifiedDiff } from '../line-diff.ts'
import { painter } from './apply.ts'
import { examples } from './examples.ts'

type Options = { message?: string }
type Editing = { name: string; file: string; etag: string; original: string }

export function registerEdit(parent: Command, act: Act): void {
  const edit = parent
    .command('edit')
    .summary('change a config’s draft in your editor')
    .description(
      'Open the draft in $VISUAL or $EDITOR and save it when the editor ends. With --message it becomes a version at once. When somebody changed the draft meanwhile, nothing of either is lost: what they did is shown, and your text stays in a file.',
    )
    .argument('<config>', 'its name')
    .option('-m, --message <text>', 'save it as a version too, with this reason')
  examples(edit, [
    'farmctl edit default',
    'EDITOR="code --wait" farmctl edit default -m "Longer timeouts"',
  ])
  act<Options>(edit, editDraft)
}

async function editDraft(tool: Tool, options: Options, name = ''): Promise<void> {
  const api = tool.api()
  const { body: draft, etag } = await taggedBodyOf(
    api.GET('/api/v1/configs/{name}/draft', { params: { path: { name } } }),
  )
  const dir = mkdtempSync(join(tmpdir(), 'farmctl-edit-'))
  const file = join(dir, `${name}.jsonc`)
  writeFileSync(file, draft.text, { mode: 0o600 })
  const text = await editText(tool, { name, file, etag, original: draft.text })
  if (text === null) {
    rmSync(dir, { recursive: true })
    tool.show({ config: name, changed: false }, () => ['Nothing was changed.'])
    return
  }
  await keepingFile(file, () => save(tool, { name, file, etag, original: draft.text }, options))
  rmSync(dir, { recursive: true })
}

/** null: left as it was. */
async function editText(tool: Tool, { file, original }: Editing): Promise<string | null> {
  await keepingFile(file, () => openEditor(tool, file))
  const text = readFileSync(file, 'utf8')
  return text === original ? null : text
}

async function openEditor({ process: { env } }: Tool, file: string): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || 'vi'
  // As Git does it: the variable may hold options, and the shell splits them.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Failure(`The editor (${editor}) ended with ${code}. Nothing was saved.`)
}

/** Whatever goes wrong from here on, the text is somebody's work. */
async function keepingFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure)
      throw new Failure(`${error.message}\n${keptAt(file)}`, error.exitCode)
    if (isApiError(error)) error.message += ` ${keptAt(file)}`
    throw error
  }
}

const keptAt = (file: string) => `Your text is kept in ${file}`

async function save(tool: Tool, editing: Editing, { message }: Options): Promise<void> {
  const api = tool.api()
  const { name, file } = editing
  const text = readFileSync(file, 'utf8')
  const saved = await putDraft(tool, api, editing, text)
  const warnings = await requireValid(api, { file, text }).then(
    () => null,
    (error: unknown) => error,
  )
  if (message === undefined) {
    tool.show({ config: name, changed: true, version: null }, () => [
      `The draft of ${name} is saved. As a version: farmctl edit ${name} -m "why", or in the console.`,
    ])
    if (warnings !== null)
      tool.terminal.error(`It can't become a version yet:\n${explain(warnings)}`)
    return
  }
  if (warnings !== null) throw warnings
  const params = { path: { name } }
  const parent = saved.baseVersion
  const { number } = await locate(
    file,
    bodyOf(
      api.POST('/api/v1/configs/{name}/versions', { params, body: { text, message, parent } }),
    ),
  )
  tool.show({ config: name, changed: true, version: number }, () => [
    `${name}: version ${number}. To the nodes: farmctl rollout start ${name}@${number}`,
  ])
}

async function putDraft(tool: Tool, api: Api, editing: Editing, text: string) {
  const { name, etag } = editing
  const params = { path: { name }, header: { 'if-match': etag } }
  try {
    return await bodyOf(api.PUT('/api/v1/configs/{name}/draft', { params, body: { text } }))
  } catch (error) {
    if (!isApiError(error, 412)) throw error
    throw showConflict(tool, editing, error.members)
  }
}

/** What the others did meanwhile, and the merge of both when the control plane could make one. */
function showConflict(
  tool: Tool,
  { name, file, original }: Editing,
  members: Readonly<Record<string, unknown>>,
): Failure {
  const { current } = members as { current?: { text: string; updatedBy: string | null } }
  const { merged } = members as { merged?: { text: string; conflicts: unknown[] } | null }
  const who = current?.updatedBy ?? 'Somebody'
  const theirs = unifiedDiff(original, current?.text ?? original).map(painter(tool))
  tool.terminal.error([`${who} changed the draft of ${name} meanwhile:`, ...theirs].join('\n'))
  const mergedFile = merged ? join(dirname(file), `${name}.merged.jsonc`) : null
  if (merged && mergedFile) writeFileSync(mergedFile, merged.text, { mode: 0o600 })
  const conflicts = merged?.conflicts.length ?? 0
  const hint = mergedFile
    ? `Both together are in ${mergedFile} (${conflicts === 0 ? 'no conflict' : `${conflicts} to settle by hand`}). `
    : ''
  return new Failure(
    `Nothing was saved. ${hint}Look at it, then: farmctl edit ${name}`,
    EXIT.conflict,
  )
}
