// SPDX-License-Identifier: MIT
// A group or a node as its file, in one's own editor; then planned and done as apply does it.
import type { Kind, Manifest } from '../apply/manifests.ts'
import type { Step } from '../apply/steps.ts'
import type { Tool } from '../command.ts'
import { edit } from '../editor.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failures.ts'
import { unifiedDiff } from '../line-diff.ts'
import { painter, type Review, review } from './review.ts'

type Editing = {
  kind: Kind
  name: string
  /** As it is on the control plane now. */
  read: () => Promise<string>
  plan: (manifest: Manifest) => Promise<Step>
}

export async function editManifest(
  tool: Tool,
  { kind, name, read, plan }: Editing,
  options: Review,
): Promise<void> {
  const text = await read()
  const isChanged = await edit(tool, { name, text }, async (edited) => {
    requireSame(tool, name, text, await read())
    await review(tool, [await plan({ kind, name, ...edited })], options)
  })
  if (!isChanged) tool.show({ [kind]: name, changed: false }, () => ['Nothing was changed.'])
}

function requireSame(tool: Tool, name: string, before: string, now: string): void {
  if (before === now) return
  const theirs = unifiedDiff(before, now).map(painter(tool))
  tool.terminal.error([`${name} was changed meanwhile:`, ...theirs].join('\n'))
  throw new Failure('Nothing was saved. Look at it, then edit it again.', EXIT.conflict)
}
