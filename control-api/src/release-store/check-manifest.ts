// SPDX-License-Identifier: MIT
// A whole manifest: each line by itself, each after the one before, and all of them within what one release may be.
import { gatherBlobs, type ListFacts } from './blob-list.ts'
import { type Entry, faultOfOrder, LINE_MAX_BYTES, readEntry } from './entries.ts'
import { linesOf, reading } from './lines.ts'

/** Of one release. */
export type ManifestLimits = { files: number; bytes: number }
/** `line` from 1; 0: it is about the whole. `path` as far as it could be read. */
export type Fault = { line: number; path: string; what: string }
export type ManifestFacts = { files: number; links: number; bytes: number; blobs: ListFacts }
export type Checked =
  | { ok: true; facts: ManifestFacts; parts: Buffer[] }
  | { ok: false; faults: Fault[] }

const MOST_FAULTS = 20

export async function checkManifest(path: string, limits: ManifestLimits): Promise<Checked> {
  const faults: Fault[] = []
  const blobs = gatherBlobs()
  const facts = { files: 0, links: 0, bytes: 0 }
  let before: string | null = null
  let line = 0
  let readBytes = 0
  const add = (entry: Entry) => {
    if (before !== null) {
      const what = faultOfOrder(before, entry.path)
      if (what !== null) faults.push({ line, path: entry.path, what })
    }
    before = entry.path
    if (entry.type === 'link') facts.links++
    else {
      facts.files++
      facts.bytes += entry.size
      blobs.add(entry.sha256, entry.size)
    }
  }
  const isOver = () => {
    const what = overLimits(facts, limits)
    if (what !== null) faults.push({ line, path: '', what })
    return what !== null || faults.length >= MOST_FAULTS
  }
  const size = await reading(path, async (file) => {
    for await (const lines of linesOf(file)) {
      for (const bytes of lines) {
        line++
        readBytes += bytes.length + 1
        const read = readLine(bytes)
        if (read.ok) add(read.entry)
        else faults.push({ line, path: read.path, what: read.what })
        if (isOver()) return null
      }
    }
    return (await file.stat()).size
  })
  if (size !== null && readBytes > size) {
    faults.push({ line, path: '', what: 'is the last one and has no newline at its end' })
  }
  if (line === 0) faults.push({ line, path: '', what: 'the manifest names no file' })
  if (faults.length > 0) return { ok: false, faults: faults.slice(0, MOST_FAULTS) }
  const gathered = await blobs.sorted()
  if (gathered.ok) {
    return { ok: true, facts: { ...facts, blobs: gathered.facts }, parts: gathered.parts }
  }
  const what = `the content ${gathered.blob.sha256} is there with two sizes`
  return { ok: false, faults: [{ line: 0, path: '', what }] }
}

function readLine(bytes: Buffer) {
  if (bytes.length > LINE_MAX_BYTES) {
    return { ok: false as const, path: '', what: `is longer than ${LINE_MAX_BYTES} bytes` }
  }
  const text = bytes.toString('utf8')
  // Where a decoder met what is no UTF-8 it put U+FFFD, which may stand in a name, too.
  if (text.includes('\ufffd') && !Buffer.from(text).equals(bytes)) {
    return { ok: false as const, path: '', what: 'is not UTF-8' }
  }
  return readEntry(text)
}

function overLimits(
  { files, links, bytes }: { files: number; links: number; bytes: number },
  limits: ManifestLimits,
): string | null {
  if (files + links > limits.files) {
    return `is one too many: a release has at most ${limits.files} files and links (FARMSTEAD_RELEASES_MAX_FILES)`
  }
  if (bytes > limits.bytes) {
    return `is too much: a release has at most ${limits.bytes} bytes (FARMSTEAD_RELEASES_MAX_GIB)`
  }
  return null
}
