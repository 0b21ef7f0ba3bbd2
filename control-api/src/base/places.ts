// SPDX-License-Identifier: MIT
// Where this program's own files are. It runs from its sources and from what is bundled of them (dist/), where one file
// holds many modules: no module may count the folders above its own.
import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/** The folder `control-api`. */
export const controlApiDir = folderAbove(import.meta.dirname)
/** The repository, or what a package has in its place. */
export const repositoryDir = dirname(controlApiDir)

/** A thread's program, by its path in src without an ending: "metrics-store/worker". */
export function threadProgram(path: string): string {
  if (import.meta.filename.endsWith('.ts')) return join(controlApiDir, 'src', `${path}.ts`)
  // dist/BUILD/chunks: the build this is one of, not the newest.
  const [, build = ''] = relative(controlApiDir, import.meta.dirname).split(sep)
  return join(controlApiDir, 'dist', build, `${path}.js`)
}

function folderAbove(from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
  }
  throw new Error(`No package.json is above ${from}: files of the control plane are missing.`)
}
