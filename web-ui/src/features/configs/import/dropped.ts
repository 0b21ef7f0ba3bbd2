// SPDX-License-Identifier: MIT
// Files and folders that were dropped onto the page, with what is below them.
import { type FoundFile, MOST_LOOKED_AT, TOO_MANY } from './reading.ts'

/** To be called while the event is: afterwards the browser tells nothing any more. */
export function droppedFiles(items: DataTransferItemList): Promise<FoundFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  return filesBelow(entries)
}

async function filesBelow(entries: readonly FileSystemEntry[]): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  const waiting = [...entries]
  for (let at = 0; at < waiting.length; at++) {
    if (waiting.length > MOST_LOOKED_AT) throw new Error(TOO_MANY)
    const entry = waiting[at]
    if (entry && isFolder(entry)) waiting.push(...(await entriesOf(entry)))
    else if (entry && isFile(entry)) found.push(await foundFile(entry))
  }
  return found
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile

/** The browser gives some at a time, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const entries: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject)
    })
    entries.push(...some)
    if (some.length === 0 || entries.length > MOST_LOOKED_AT) return entries
  }
}

/** One that can't be opened, as a link to nowhere, is named with those that are left out. */
async function foundFile(entry: FileSystemFileEntry): Promise<FoundFile> {
  const name = entry.fullPath.replace(/^\//, '')
  try {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return { name, file }
  } catch (error) {
    return { name, file: { size: 0, arrayBuffer: () => Promise.reject(error) } }
  }
}
