// SPDX-License-Identifier: MIT
// edit: a config's draft in one's own editor.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { type Api, bodyOf, taggedBodyOf } from '../api.ts'
import { requireValid } from '../apply/configs.ts'
import type { Act, Tool } from '../command.ts'
import { edit } from '../editor.ts'
import { EXIT } from '../exit-codes.ts'
import { explain, Failure, isApiError, locate } from '../failures.ts'
import { unifiedDiff } from '../line-diff.ts'
import { examples } from './examples.ts'
import { painter } from './review.ts'

type Options = { message?: string }
type Editing = { name: string; file: string; etag: string; original: string; text: string }

export function registerEdit(parent: Command, act: Act): void {
  const editing = parent
    .command('edit')
    .summary('change a config’s draft in your editor')
    .description(
      'Open the draft in $VISUAL or $EDITOR and save it when the editor ends. With --message it becomes a version at once. When somebody changed the draft meanwhile, nothing of either is lost: what they did is shown, and your text stays in a file.',
    )
    .argument('<config>', 'its name')
    .option('-m, --message <text>', 'save it as a version too, with this reason')
  examples(editing, [
    'farmctl edit default',
    'EDITOR="code --wait" farmctl edit default -m "Longer timeouts"',
  ])
  act<Options>(editing, editDraft)
}

async function editDraft(tool: Tool, options: Options, name = ''): Promise<void> {
  const api = tool.api()
  const { body: draft, etag } = await taggedBodyOf(
    api.GET('/api/v1/configs/{name}/draft', { params: { path: { name } } }),
  )
  const isChanged = await edit(tool, { name, text: draft.text }, ({ text, file }) =>
    save(tool, { name, file, etag, original: draft.text, text }, options),
  )
  if (isChanged) return
  tool.show({ config: name, changed: false }, () => ['Nothing was changed.'])
}

async function save(tool: Tool, editing: Editing, { message }: Options): Promise<void> {
  const api = tool.api()
  const { name, file, text } = editing
  const saved = await putDraft(tool, api, editing)
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

async function putDraft(tool: Tool, api: Api, editing: Editing) {
  const { name, etag, text } = editing
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
