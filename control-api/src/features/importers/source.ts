// SPDX-License-Identifier: MIT
// The files of an import, as they were given: no path in a config is ever looked up on the control plane's own disk.
import { matches, normal } from './paths.ts'
import type { Source } from './tree.ts'

export type GivenFile = { path: string; text: string }

export function sourceOf(files: readonly GivenFile[]): Source {
  const texts = new Map(files.map(({ path, text }) => [normal(path), text.toWellFormed()]))
  const names = [...texts.keys()].sort()
  return {
    read: (path) => texts.get(normal(path)) ?? null,
    find: (pattern) => names.filter((name) => matches(pattern, name)),
    below: (folder, name) =>
      names.filter((one) => one.startsWith(`${folder}/`) && one.endsWith(`/${name}`)),
  }
}
