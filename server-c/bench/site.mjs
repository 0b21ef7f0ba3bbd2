// SPDX-License-Identifier: MIT
// The files that the loads ask for, made once and kept: always the same bytes, with a modification
// time long past, so that no server holds them for files still being written.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

export const MODIFIED = new Date('2024-05-01T12:00:00Z')
export const KIB = 1024
export const MIB = 1024 * 1024

/** Always the same numbers from 0 to 1, which look like chance. @param {number} seed */
export function chance(seed) {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const WORDS =
  'the farm serves files from many disks to every reader who asks and none has to wait longer than its bytes take'.split(
    ' ',
  )

/** Text of words in an order of its own per `seed`: gzip makes it about a third. */
export function text(bytes, seed) {
  const random = chance(seed)
  let words = ''
  while (words.length < bytes) words += `${WORDS[Math.floor(random() * WORDS.length)]} `
  return Buffer.from(words.slice(0, bytes))
}

/** Bytes that differ from place to place, cheaply: a block of text, numbered each time. */
export function large(bytes, seed) {
  const body = Buffer.alloc(bytes, text(64 * KIB - 1, seed))
  for (let at = 0; at + 8 < bytes; at += 4 * KIB) body.write(String(at).padStart(8, '0'), at)
  return body
}

const MIX_LEAST = 16
const MIX_MOST = 256 * KIB
const MIX_SEED = 2009

/**
 * The sizes of the mix, by popularity: evenly spread on a logarithmic scale, in an order that has
 * nothing to do with the size.
 * @param {number} count
 */
export function mixSizes(count) {
  const random = chance(MIX_SEED)
  return Array.from({ length: count }, (_, i) => ({
    size: Math.round(MIX_LEAST * (MIX_MOST / MIX_LEAST) ** (i / (count - 1))),
    order: random(),
  }))
    .sort((a, b) => a.order - b.order)
    .map(({ size }) => size)
}

export const PER_FOLDER = 500
const number = (n, digits) => String(n).padStart(digits, '0')
export const mixPath = (n) => `/mix/${number(n, 3)}.html`
export const bigPath = (n) => `/big/${n}.bin`
export const filePath = (folder, n) =>
  `/${folder}/${number(Math.floor(n / PER_FOLDER), 3)}/${number(n, 6)}.html`
export const fileBody = (n) => text(4 * KIB, n % 1000)

/** @param {string} path @param {Buffer} bytes */
function write(path, bytes) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  utimesSync(path, MODIFIED, MODIFIED)
}

/** All files below a folder, from the disk into the page cache. @param {string} folder */
function readAll(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) readAll(path)
    else readFileSync(path)
  }
}

/** Where the files are; each set is made when a load first asks for it. */
export class Site {
  /** @param {string} root */
  constructor(root) {
    this.root = root
    this.version = createHash('sha256')
      .update(readFileSync(new URL(import.meta.url)))
      .digest('hex')
  }

  path(urlPath) {
    return join(this.root, urlPath)
  }

  /**
   * Runs `make` unless this very set is there; then it is read once, so that whoever is measured first
   * does not wait for a disk that the others no longer need.
   * @param {string} name @param {string} what sizes and counts
   * @param {(write: (urlPath: string, bytes: Buffer) => void) => void} make
   */
  ensure(name, what, make) {
    const stamp = join(dirname(this.root), 'stamps', name)
    const wanted = `${this.version} ${what}`
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
      readAll(join(this.root, name))
      return
    }
    rmSync(join(this.root, name), { recursive: true, force: true })
    make((urlPath, bytes) => write(this.path(urlPath), bytes))
    write(stamp, Buffer.from(wanted))
  }

  /** One file with `bytes` of text, and beside it a gzip copy when `gzip` says so. */
  page(name, bytes, { gzip = false } = {}) {
    const body = text(bytes, bytes)
    const urlPath = `/${name}/page.html`
    const gzipped = gzip ? gzipSync(body, { level: 9 }) : null
    this.ensure(name, `${bytes} ${gzip}`, (put) => {
      put(urlPath, body)
      if (gzipped) put(`${urlPath}.gz`, gzipped)
    })
    return { urlPath, body, gzipped }
  }

  mix(count) {
    const bodies = mixSizes(count).map((size, i) => text(size, i + 1))
    this.ensure('mix', String(count), (put) => {
      for (const [i, body] of bodies.entries()) put(mixPath(i), body)
    })
    return bodies
  }

  big(count, bytes) {
    this.ensure('big', `${count} ${bytes}`, (put) => {
      for (let i = 0; i < count; i++) put(bigPath(i), large(bytes, i + 1))
    })
    return Array.from({ length: count }, (_, i) => large(bytes, i + 1))
  }

  many(folder, count) {
    this.ensure(folder, String(count), (put) => {
      const bodies = Array.from({ length: Math.min(count, 1000) }, (_, i) => fileBody(i))
      for (let i = 0; i < count; i++) put(filePath(folder, i), bodies[i % bodies.length])
    })
  }
}
