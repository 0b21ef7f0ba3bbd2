// SPDX-License-Identifier: MIT
// Requests of every kind for a long run: the site they are for, and what each is answered with.
import { createHmac } from 'node:crypto'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { writeTree } from '../support/node.mjs'
import { request } from '../support/raw.mjs'

const MANY_FILES = 3000
const LARGE_BYTES = 300_000 // more than fileCache.maxFileBytes
const SECRET = 'k'.repeat(32)
// Of "secret", made with openssl passwd -5 -salt abcdefgh.
const USERS = 'anna:$5$abcdefgh$gruCpC7VkOTspMQTTSAR8mtlO9Upms.fwqE5y16JVM.\n'

export const text = 'a'.repeat(3000)

export function makeSite(folder) {
  const root = join(folder, 'www')
  writeTree(root, {
    'a.txt': text,
    'a.txt.gz': gzipSync(text),
    'large.bin': Buffer.alloc(LARGE_BYTES, 'x'),
    'folder/index.html': 'index',
    'club/a.txt': 'club',
    'paid/a.txt': 'paid',
    'private/a.txt': 'private',
    'errors/404.html': 'no such page',
    ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`list/f${i}.txt`, 'l'])),
    ...Object.fromEntries(Array.from({ length: MANY_FILES }, (_, i) => [`many/${i}.txt`, `${i}`])),
  })
  symlinkSync('a.txt', join(root, 'link.txt'))
  writeFileSync(join(folder, 'users'), USERS)
  writeFileSync(join(folder, 'key'), SECRET)
  return {
    listen: [{ address: '127.0.0.1', port: 0 }],
    admin: { address: '127.0.0.1', port: 0 },
    workers: 2,
    // Small enough that what a cache may hold is there after the first tenth.
    statCache: { maxEntries: 1000 },
    fileCache: { maxBytes: 4 << 20, maxFileBytes: 65536, maxOpenFiles: 200 },
    accessLog: { path: join(folder, 'access.log'), format: 'combined' },
    sites: [
      {
        hosts: ['*'],
        root,
        directoryListing: { enabled: true },
        precompressed: ['gzip'],
        redirects: [{ match: '^/old/(.*)$', to: '/new/$1', status: 308 }],
        rewrites: [{ match: '^/b/(.*)$', to: '/$1' }],
        headers: [{ action: 'add', name: 'X-Type', value: 'text', types: ['text/*'] }],
        expires: [{ types: ['text/*'], maxAgeSeconds: 60 }],
        errorPages: { 404: '/errors/404.html' },
        access: [{ action: 'deny', paths: ['/private/**'] }],
        auth: [{ paths: ['/club/**'], realm: 'Club', file: join(folder, 'users') }],
        signedUrls: [{ paths: ['/paid/**'], secretFile: join(folder, 'key') }],
      },
    ],
  }
}

const signed = (expires) => {
  const signature = createHmac('sha256', SECRET)
    .update(`/paid/a.txt\n${expires}`)
    .digest('base64url')
  return `/paid/a.txt?expires=${expires}&signature=${signature}`
}
const basic = (password) => [`Authorization: Basic ${btoa(`anna:${password}`)}`]
const post = (body) => ({ method: 'POST', lines: [`Content-Length: ${body.length}`], body })
const chunked = {
  method: 'POST',
  lines: ['Transfer-Encoding: chunked'],
  body: '5\r\nhello\r\n0\r\n\r\n',
}

let serial = 0
const next = (count) => serial++ % count

/** On a connection that is kept. `share`: how often beside the others. `bytes()`: what is sent. */
export const kept = [
  { share: 30, status: 200, bytes: () => request('/a.txt') },
  { share: 10, status: 200, bytes: () => request(`/many/${next(MANY_FILES)}.txt`) },
  { share: 5, status: 200, bytes: () => request('/link.txt') },
  { share: 1, status: 200, bytes: () => request('/large.bin') },
  { share: 3, status: 200, bytes: () => request('/folder/') },
  { share: 5, status: 200, isHead: true, bytes: () => request('/a.txt', { method: 'HEAD' }) },
  {
    share: 8,
    status: 304,
    bytes: ({ etag }) => request('/a.txt', { lines: [`If-None-Match: ${etag}`] }),
  },
  {
    share: 4,
    status: 304,
    bytes: ({ modified }) => request('/a.txt', { lines: [`If-Modified-Since: ${modified}`] }),
  },
  { share: 3, status: 412, bytes: () => request('/a.txt', { lines: ['If-Match: "x"'] }) },
  { share: 5, status: 206, bytes: () => request('/a.txt', { lines: ['Range: bytes=10-99'] }) },
  { share: 2, status: 206, bytes: () => request('/large.bin', { lines: ['Range: bytes=-999'] }) },
  {
    share: 4,
    status: 206,
    bytes: () => request('/a.txt', { lines: ['Range: bytes=0-1,9-20,-5'] }),
  },
  { share: 2, status: 416, bytes: () => request('/a.txt', { lines: ['Range: bytes=9999-'] }) },
  { share: 6, status: 200, bytes: () => request('/a.txt', { lines: ['Accept-Encoding: gzip'] }) },
  { share: 3, status: 404, bytes: () => request('/none.txt') },
  { share: 5, status: 404, bytes: () => request(`/none/${serial++}.txt`) },
  { share: 2, status: 301, bytes: () => request('/folder') },
  { share: 2, status: 308, bytes: () => request(`/old/${next(1000)}`) },
  { share: 2, status: 200, bytes: () => request('/b/a.txt?x=y') },
  { share: 1, status: 200, bytes: () => request('/list/') },
  {
    share: 1,
    status: 200,
    bytes: () => request('/list/', { lines: ['Accept: application/json'] }),
  },
  { share: 2, status: 403, bytes: () => request('/private/a.txt') },
  { share: 1, status: 401, bytes: () => request('/club/a.txt') },
  { share: 2, status: 200, bytes: () => request('/club/a.txt', { lines: basic('secret') }) },
  { share: 0.1, status: 401, bytes: () => request('/club/a.txt', { lines: basic(`${serial++}`) }) },
  { share: 2, status: 200, bytes: () => request(signed(4_000_000_000 + next(1000))) },
  { share: 1, status: 410, bytes: () => request(signed(next(1000))) },
  { share: 1, status: 403, bytes: () => request('/paid/a.txt') },
  { share: 2, status: 405, bytes: () => request('/a.txt', { method: 'DELETE' }) },
  { share: 2, status: 405, bytes: () => request('/a.txt', post('x'.repeat(next(20_000)))) },
  { share: 1, status: 204, bytes: () => request('*', { method: 'OPTIONS' }) },
]

/** That end their connection. `status: null`: the client ends it, with `reset` or quietly. */
export const ending = [
  { share: 3, status: 400, bytes: () => 'GARBAGE\r\n\r\n' },
  { share: 2, status: 400, bytes: () => 'GET / HTTP/1.1\r\n\r\n' },
  { share: 2, status: 400, bytes: () => request('/../../etc/passwd') },
  { share: 2, status: 414, bytes: () => request(`/${'l'.repeat(20_000)}`) },
  { share: 2, status: 431, bytes: () => request('/', { lines: [`X: ${'h'.repeat(100_000)}`] }) },
  { share: 2, status: 505, bytes: () => 'GET / HTTP/2.0\r\nHost: a\r\n\r\n' },
  { share: 3, status: 200, bytes: () => request('/a.txt', { lines: ['Connection: close'] }) },
  { share: 2, status: 200, bytes: () => 'GET /a.txt HTTP/1.0\r\n\r\n' },
  { share: 2, status: [405, 411, 413], bytes: () => request('/a.txt', chunked) },
  { share: 3, status: null, bytes: () => 'GET /a.txt HTT' },
  { share: 3, status: null, reset: true, bytes: () => request('/large.bin').repeat(20) },
  { share: 3, status: null, reset: true, bytes: () => request(`/many/${next(MANY_FILES)}.txt`) },
  { share: 3, status: null, reset: true, waits: true, bytes: () => request('/large.bin') },
]
