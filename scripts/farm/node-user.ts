// SPDX-License-Identifier: MIT
// Whom the nodes serve as: a user of their own where root has started the farm, so that a mistake in a
// node or its config reaches no more than that user may; else whoever has started it.
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { Problem } from '../setup/problem.mjs'
import { failed } from './control-plane.ts'

const run = promisify(execFile)
/** The same as the package's. */
export const NODE_USER = 'farmstead'
const NO_SUCH_USER = 2 // getent's exit code

async function isThere(user: string): Promise<boolean> {
  try {
    await run('getent', ['passwd', user])
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NO_SUCH_USER) return false
    throw failed(`The user "${user}" cannot be looked up.`, error)
  }
}

/** Makes the user when root has started us and there is none; null: nodes serve as whoever started us. */
export async function ensureNodeUser(): Promise<string | null> {
  if (process.getuid?.() !== 0) return null
  if (await isThere(NODE_USER)) return NODE_USER
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent']
  try {
    await run('useradd', [...options, '--shell', '/usr/sbin/nologin', NODE_USER])
  } catch (error) {
    // Another farm may have made it meanwhile.
    if (!(await isThere(NODE_USER)))
      throw failed(`The user "${NODE_USER}", as whom nodes serve, cannot be made.`, error)
  }
  return NODE_USER
}

/** Whether every folder on the way to `path` lets other users pass. */
export function isOpenToOthers(path: string): boolean {
  const mayPass = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o001) & 0o001
  if (!mayPass) return false
  return dirname(path) === path || isOpenToOthers(dirname(path))
}

/** What the nodes cannot read they cannot serve: better said now than by 403 to every visitor. */
export async function checkReadable(user: string, file: string): Promise<void> {
  const become = ['--reuid', user, '--regid', user, '--clear-groups']
  try {
    await run('setpriv', [...become, 'test', '-r', file])
  } catch {
    throw new Problem(
      `The nodes serve as the user "${user}", who cannot read ${file}: open the folders on the way to other users (chmod o+x), or set FARMSTEAD_HOME to a folder that is.`,
    )
  }
}
