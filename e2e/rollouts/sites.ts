// SPDX-License-Identifier: MIT
// What the farm serves: two hosts with files that are told apart by every byte, and a folder with nothing in it.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const HOSTS = ['first.example', 'second.example'] as const
export type Host = (typeof HOSTS)[number]
export type Page = { host: Host; path: string; body: Buffer }

const FILES = 24
const SMALLEST = 200
const LARGEST = 60_000

/** Bytes that follow from a name, so that nothing of one file passes for another's. */
function bytesFor(name: string, size: number): Buffer {
  const line = createHash('sha256').update(name).digest('hex')
  return Buffer.alloc(size, `${line}\n`)
}

export function makeSites(home: string): Page[] {
  mkdirSync(rootOf(home, 'nothing'), { recursive: true })
  return HOSTS.flatMap((host) => {
    const root = rootOf(home, host)
    mkdirSync(root, { recursive: true })
    writeFileSync(join(root, 'index.html'), '<h1>served</h1>\n')
    return Array.from({ length: FILES }, (_, i) => {
      const path = `/file-${i}.html`
      const size = SMALLEST + Math.floor(((LARGEST - SMALLEST) * i * i) / (FILES * FILES))
      const body = bytesFor(host + path, size)
      writeFileSync(join(root, path), body)
      return { host, path, body }
    })
  })
}

export const rootOf = (home: string, name: Host | 'nothing') => join(home, 'sites', name)
