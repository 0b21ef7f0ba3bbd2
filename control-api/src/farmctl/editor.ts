// SPDX-License-Identifier: MIT
// A text in one's own editor. Nothing typed is lost: what could not be saved is a file that is named.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Tool } from './command.ts'
import { Failure, isApiError } from './failures.ts'
import { readTextFile } from './read-text.ts'

type Edited = { text: string; file: string }

/** false: it was left as it was, and nothing is done. The file stays when `save` fails. */
export async function edit(
  tool: Tool,
  { name, text: original }: { name: string; text: string },
  save: (edited: Edited) => Promise<void>,
): Promise<boolean> {
  const file = join(mkdtempSync(join(tmpdir(), 'farmctl-edit-')), `${name}.jsonc`)
  writeFileSync(file, original, { mode: 0o600 })
  const isChanged = await keepingFile(file, async () => {
    await openEditor(tool, file)
    const text = readTextFile(file)
    if (text === original || isEmptied(tool, text)) return false
    await save({ text, file })
    return true
  })
  rmSync(dirname(file), { recursive: true })
  return isChanged
}

/** As with Git: who empties the file means to stop. */
function isEmptied({ terminal }: Tool, text: string): boolean {
  const isEmpty = text.trim() === ''
  if (isEmpty) terminal.note('The file was emptied, so nothing is done.')
  return isEmpty
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
