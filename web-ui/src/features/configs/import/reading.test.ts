// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { knownImports as known } from '../../../test/samples.ts'
import { droppedFiles } from './dropped.ts'
import { type FoundFile, MOST_LOOKED_AT, readFiles, whyLeftOut } from './reading.ts'

const found = (name: string, content: string | Uint8Array<ArrayBuffer>): FoundFile => {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return { name, file: { size: bytes.length, arrayBuffer: async () => bytes.buffer } }
}

describe('what may be part of a config', () => {
  test.each([
    ['a config', 'nginx.conf', 'server { listen 80; }', null],
    ['a list of types', 'mime.types', 'types { text/html html; }', null],
    ['one that names a key', 'ssl.conf', 'ssl_certificate_key /etc/ssl/a.key;', null],
    ['a host with a port', 'hosts', 'a.example:80\nb.example:80', null],
    ['a key', 'a.txt', '-----BEGIN PRIVATE KEY-----\nMIIE\n', 'a key or a certificate'],
    [
      'a key under other words',
      'a',
      'Key:\n-----BEGIN RSA PRIVATE KEY-----',
      'a key or a certificate',
    ],
    ['passwords by what they are', 'users', '# us\nann:$apr1$x$y\nbob:$2y$05$abc\n', 'passwords'],
    ['passwords of crypt', 'users', 'ann:rqXexS6ZhobKA', 'passwords'],
    ['digests', 'users', 'ann:realm:0123456789abcdef0123456789abcdef', 'passwords'],
    ['passwords by their name', '.htpasswd', 'ann:plain', 'passwords'],
    ['no text', 'GeoIP.dat', 'a\0b', 'not a text'],
  ])('%s', (_, name, text, why) => {
    expect(whyLeftOut(name, text)).toBe(why)
  })
})

test('files are read as text, also those from before UTF-8 and with a mark of order', async () => {
  const latin1 = new Uint8Array([0x23, 0x20, 0x66, 0xfc, 0x72])
  const { files } = await readFiles(
    [found('nginx/nginx.conf', '\uFEFFhttp {}'), found('nginx/conf.d/a', latin1)],
    known,
  )
  expect(files).toEqual([
    { name: 'nginx.conf', text: 'http {}' },
    { name: 'conf.d/a', text: '# für' },
  ])
})

test('what is too large or can’t be read is left out and said to be', async () => {
  const large = { size: 5_000_000, arrayBuffer: () => Promise.reject(new Error('was read')) }
  const gone = { size: 5, arrayBuffer: () => Promise.reject(new Error('gone')) }
  const read = await readFiles(
    [
      { name: 'large', file: large },
      { name: 'gone', file: gone },
    ],
    known,
  )
  expect(read).toEqual({
    files: [],
    leftOut: [
      { name: 'large', why: 'too large for a config' },
      { name: 'gone', why: 'could not be read' },
    ],
  })
})

test('all of a disk is refused before it is read', async () => {
  const one = found('a', 'a')
  await expect(readFiles(Array(MOST_LOOKED_AT + 1).fill(one), known)).rejects.toThrow('/etc/nginx')
  const big = { size: 4_000_000, arrayBuffer: () => Promise.reject(new Error('was read')) }
  const many = Array.from({ length: 9 }, (_, i) => ({ name: `b${i}`, file: big }))
  await expect(readFiles(many, known)).rejects.toThrow(/34.3 MiB together/)
  await expect(readFiles([], known)).rejects.toThrow('no file')
})

describe('what is dropped', () => {
  const entry = (fullPath: string, more: object) =>
    ({ fullPath, isFile: false, isDirectory: false, ...more }) as unknown as FileSystemEntry
  const file = (path: string) =>
    entry(path, { isFile: true, file: (take: (file: File) => void) => take(new File([''], 'x')) })
  /** As browsers do: a hundred at a time, and none at the end. */
  const folder = (path: string, entries: FileSystemEntry[]) =>
    entry(path, {
      isDirectory: true,
      createReader: () => {
        let at = 0
        const readEntries = (take: (some: FileSystemEntry[]) => void) => {
          take(entries.slice(at, at + 100))
          at += 100
        }
        return { readEntries }
      },
    })
  const drop = (...entries: FileSystemEntry[]) =>
    droppedFiles(
      entries.map((one) => ({ webkitGetAsEntry: () => one })) as unknown as DataTransferItemList,
    )

  test('is read with folders below, beyond the first hundred', async () => {
    const sites = Array.from({ length: 250 }, (_, i) => file(`/nginx/sites/s${i}`))
    const found = await drop(
      folder('/nginx', [file('/nginx/nginx.conf'), folder('/nginx/sites', sites)]),
    )
    expect(found).toHaveLength(251)
    expect(found[0]?.name).toBe('nginx/nginx.conf')
  })

  test('a link to nowhere holds nothing up', async () => {
    const broken = entry('/nginx/gone', {
      isFile: true,
      file: (_: unknown, fail: (error: Error) => void) => fail(new Error('gone')),
    })
    const read = await readFiles(await drop(broken, file('/a')), known)
    expect(read.leftOut).toEqual([{ name: 'nginx/gone', why: 'could not be read' }])
  })

  test('a folder without end is refused', async () => {
    const endless: FileSystemEntry = folder('/all', [])
    Object.assign(endless, {
      createReader: () => ({
        readEntries: (take: (some: FileSystemEntry[]) => void) => take([endless, file('/all/a')]),
      }),
    })
    await expect(drop(endless)).rejects.toThrow('more than 5,000')
  })
})
