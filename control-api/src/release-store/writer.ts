// SPDX-License-Identifier: MIT
// Writes what comes in small pieces as large ones, and goes on taking while it writes: a wait for each piece takes longer
// than the piece when the machine is busy.
import type { FileHandle } from 'node:fs/promises'

const WRITE_BYTES = 512 * 1024

export function createWriter(file: Pick<FileHandle, 'write'>) {
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let writtenBytes = 0
  let writing: Promise<void> = Promise.resolve()

  async function writeAll(bytes: Buffer): Promise<void> {
    let at = 0
    while (at < bytes.length) {
      const { bytesWritten } = await file.write(bytes, at)
      at += bytesWritten
      writtenBytes += bytesWritten
    }
  }

  /** Throws what the write before threw. */
  async function flush(): Promise<void> {
    await writing
    writing = writeAll(Buffer.concat(waiting))
    // Told to who adds more, or ends it.
    writing.catch(() => {})
    waiting = []
    waitingBytes = 0
  }

  return {
    async add(chunk: Buffer): Promise<void> {
      waiting.push(chunk)
      waitingBytes += chunk.length
      if (waitingBytes >= WRITE_BYTES) await flush()
    },
    async end(): Promise<void> {
      await flush()
      await writing
    },
    writtenBytes: () => writtenBytes,
  }
}
