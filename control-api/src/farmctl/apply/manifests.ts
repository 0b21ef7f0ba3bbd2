// SPDX-License-Identifier: MIT
// A farm as files: configs/NAME.jsonc, groups/NAME.jsonc, group-order.jsonc, nodes/NAME.jsonc.
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Failure } from '../failures.ts'
import { readTextFile } from '../read-text.ts'

export type Kind = 'config' | 'group' | 'group-order' | 'node'
export type Manifest = { kind: Kind; name: string; file: string; text: string }
/** The whole of a kind is here: what is not may be pruned. */
export type Folder = { manifests: Manifest[]; whole: ReadonlySet<Kind> }

export const FOLDERS: Record<string, Kind> = { configs: 'config', groups: 'group', nodes: 'node' }
const ORDER_FILE = /^group-order\.jsonc?$/
const EXTENSION = /\.jsonc?$/
const NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/

/** What a file is that does not say it by where it is. */
type Source = {
  name: string | undefined
  kind: Kind | undefined
  readStdin: () => Promise<string>
}

export async function readManifests(paths: readonly string[], source: Source): Promise<Folder> {
  const manifests: Manifest[] = []
  const whole = new Set<Kind>()
  for (const path of paths) {
    if (path === '-') manifests.push(await readStdin(source))
    else if (!statSync(path).isDirectory()) manifests.push(readFile(path, source))
    else manifests.push(...readFolder(path, whole))
  }
  requireDistinct(manifests)
  return { manifests, whole }
}

async function readStdin({ name, kind = 'config', readStdin }: Source): Promise<Manifest> {
  if (name === undefined) throw new Failure(`Which ${kind} is on standard input? Add --name NAME.`)
  return { kind, name: validName(name, '-'), file: '-', text: await readStdin() }
}

/** What it is says the folder it is in; a file that is in none of ours is a config. */
function readFile(file: string, { name: given, kind: told }: Partial<Source> = {}): Manifest {
  const place = told ?? FOLDERS[basename(dirname(resolve(file)))]
  const kind = place ?? (ORDER_FILE.test(basename(file)) ? 'group-order' : 'config')
  const name = given ?? basename(file).replace(EXTENSION, '')
  return { kind, name: validName(name, file), file, text: readTextFile(file) }
}

function readFolder(dir: string, whole: Set<Kind>): Manifest[] {
  const folders = Object.keys(FOLDERS).filter((folder) =>
    statSync(join(dir, folder), { throwIfNoEntry: false })?.isDirectory(),
  )
  if (folders.length === 0) {
    throw new Failure(
      `${dir} has no folder ${Object.keys(FOLDERS).join('/, ')}/. Begin with what there is: farmctl export --all ${dir}`,
    )
  }
  const order = readdirSync(dir).filter((entry) => ORDER_FILE.test(entry))
  const inFolders = folders.flatMap((folder) => {
    const kind = FOLDERS[folder]
    if (kind) whole.add(kind)
    return readdirSync(join(dir, folder))
      .filter((entry) => EXTENSION.test(entry))
      .sort()
      .map((entry) => readFile(join(dir, folder, entry)))
  })
  return [...inFolders, ...order.map((entry) => readFile(join(dir, entry)))]
}

function validName(name: string, file: string): string {
  if (NAME.test(name)) return name
  throw new Failure(
    `${file}: "${name}" can't be a name: lower-case letters, digits, dots and dashes. Rename the file, or add --name.`,
  )
}

function requireDistinct(manifests: readonly Manifest[]): void {
  const byName = Map.groupBy(manifests, ({ kind, name }) => `${kind} ${name}`)
  for (const [what, [first, second]] of byName) {
    if (second) throw new Failure(`${first?.file} and ${second.file} are both ${what}. Keep one.`)
  }
}
