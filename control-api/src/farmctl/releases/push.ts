// SPDX-License-Identifier: MIT
// From files to a version: the manifest goes first, then what is missing of it, then the version is made.
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entryOf } from '../../release-store/entries.ts'
import { type Api, bodyOf } from '../api.ts'
import type { Tool } from '../command.ts'
import { locate } from '../failures.ts'
import { sizeText } from '../table.ts'
import { excluderOf } from './exclude.ts'
import { isFolder, walkFolder } from './folder.ts'
import { linesOf } from './lines.ts'
import { unpackTar } from './tar.ts'
import { type Tree, writeManifest } from './tree.ts'
import { type Content, upload, uploadAll } from './upload.ts'

/** Digests looked for at once among the manifest's lines; each lot reads them through. */
const LOT = 50_000
const PAGE = 10_000

/** `exclude`: patterns of what stays where it is. */
type Source = { from: string; exclude: readonly string[] }

/** `work` gets the tree; what was put aside for it is gone afterwards. */
export async function withTree<T>(
  tool: Tool,
  { from, exclude }: Source,
  work: (tree: Tree) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'farmctl-push-'))
  try {
    return await work(await readTree(tool, { from, exclude }, dir))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function readTree(tool: Tool, { from, exclude }: Source, dir: string): Promise<Tree> {
  const manifest = join(dir, 'manifest.ndjson')
  const tell = teller(tool)
  const isExcluded = excluderOf(exclude)
  const options = {
    isExcluded,
    from: from === '-' ? 'standard input' : from,
    onFile: (files: number, bytes: number) => tell(`read ${files} files, ${sizeText(bytes)}`),
  }
  if (from !== '-' && (await isFolder(from))) {
    const written = await writeManifest(manifest, walkFolder(from, isExcluded), options)
    return { ...written, pathOf: ({ path }) => join(from, path) }
  }
  const contents = join(dir, 'contents')
  await mkdir(contents)
  const bytes = from === '-' ? tool.process.stdin : createReadStream(from)
  const found = await unpackTar(bytes, { dir: contents, from: options.from })
  const written = await writeManifest(manifest, found, options)
  return { ...written, pathOf: ({ sha256 }) => join(contents, sha256) }
}

/** Makes the control plane know the tree; of contents, none is sent. `again`: though it has the text, which it then compares. */
export async function sendManifest(tool: Tool, tree: Tree, again = false): Promise<void> {
  const api = tool.api()
  const { sha256, manifest: path, sizeBytes: size } = tree
  const params = { path: { sha256 } }
  const known = await bodyOf(api.GET('/api/v1/blobs/{sha256}', { params }))
  if (again || !known.isWhole) {
    await upload(api, { sha256, size, path }, { stop: tool.stop, onSent: () => {} })
  }
  await locate('manifest', api.PUT('/api/v1/manifests/{sha256}', { params }))
}

export type Sent = { contents: number; bytes: number }

/** Only what is missing, lot by lot; a content that came to be missing meanwhile is in a later one. */
export async function sendMissing(tool: Tool, tree: Tree): Promise<Sent> {
  const api = tool.api()
  const { sent, onSent } = counter(tool)
  let cursor: string | null = null
  do {
    const lot: { missing: Set<string>; next: string | null } = await nextLot(
      api,
      tree.sha256,
      cursor,
    )
    const contents = contentsOf(tree, lot.missing, () => sent.contents++)
    await uploadAll(api, contents, { stop: tool.stop, onSent })
    cursor = lot.next
  } while (cursor !== null)
  return sent
}

/** All that is in it, what is there already as well: the control plane compares that with what it has. */
export async function sendAll(tool: Tool, tree: Tree): Promise<Sent> {
  const { sent, onSent } = counter(tool)
  const contents = contentsOf(tree, null, () => sent.contents++)
  await uploadAll(tool.api(), contents, { stop: tool.stop, onSent })
  return sent
}

function counter(tool: Tool) {
  const tell = teller(tool)
  const sent: Sent = { contents: 0, bytes: 0 }
  const onSent = (bytes: number) => {
    sent.bytes += bytes
    tell(`sent ${sent.contents} contents, ${sizeText(sent.bytes)}`)
  }
  return { sent, onSent }
}

async function nextLot(api: Api, sha256: string, from: string | null) {
  const missing = new Set<string>()
  let cursor = from
  do {
    const query = { limit: PAGE, ...(cursor !== null && { cursor }) }
    const page = await bodyOf(
      api.GET('/api/v1/manifests/{sha256}/missing', { params: { path: { sha256 }, query } }),
    )
    for (const one of page.items) missing.add(one.sha256)
    cursor = page.nextCursor
  } while (cursor !== null && missing.size < LOT)
  return { missing, next: cursor }
}

/** `missing`: these alone; null: all, one that several paths have as often as they do. */
async function* contentsOf(
  tree: Tree,
  missing: Set<string> | null,
  onNext: () => void,
): AsyncGenerator<Content> {
  if (missing?.size === 0) return
  const file = await open(tree.manifest, 'r')
  try {
    for await (const line of linesOf(file.createReadStream({ encoding: 'utf8' }))) {
      const entry = entryOf(line)
      if (entry.type !== 'file' || missing?.delete(entry.sha256) === false) continue
      onNext()
      yield { sha256: entry.sha256, size: entry.size, path: tree.pathOf(entry) }
      if (missing?.size === 0) return
    }
  } finally {
    await file.close()
  }
}

const TELL_EVERY_MS = { terminal: 200, elsewhere: 10_000 }

export function teller({ terminal, process }: Tool): (text: string) => void {
  const everyMs = process.stderr.isTTY ? TELL_EVERY_MS.terminal : TELL_EVERY_MS.elsewhere
  let toldMs = performance.now()
  return (text) => {
    if (performance.now() - toldMs < everyMs) return
    toldMs = performance.now()
    terminal.progress(text)
  }
}
