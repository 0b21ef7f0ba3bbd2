// SPDX-License-Identifier: MIT
// The node's list of media types is the maintained one, but for what choices.mjs says otherwise.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leftOut, own } from '../mime/choices.mjs'
import { defined, differences } from '../mime/compare.mjs'
import { startNode } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

test('mime.def has what mime-db has, and what differs has a reason', () => {
  assert.deepEqual(differences(), [])
  for (const [why] of leftOut) assert.ok(why, 'a reason')
  for (const [type, , why] of own) assert.ok(why, type)
})

/* What programs and devices take under its own type alone. */
const wanted = {
  'segment.ts': 'video/mp2t',
  'segment.m4s': 'video/iso.segment',
  'model.usdz': 'model/vnd.usdz+zip',
  'ticket.pkpass': 'application/vnd.apple.pkpass',
  'vpn.mobileconfig': 'application/x-apple-aspen-config',
  'root.crl': 'application/pkix-crl',
  'root.cer': 'application/pkix-cert',
  'root.crt': 'application/x-x509-ca-cert',
  'addon.xpi': 'application/x-xpinstall',
  'image.torrent': 'application/x-bittorrent',
  'tile.pbf': 'application/x-protobuf',
  'tile.mvt': 'application/vnd.mapbox-vector-tile',
  'film.srt': 'application/x-subrip',
  'film.vtt': 'text/vtt; charset=utf-8',
  'photo.jfif': 'image/jpeg',
  'table.parquet': 'application/vnd.apache.parquet',
  'notes.org': 'application/octet-stream',
  'access.log.123': 'application/octet-stream',
  'main.rs': 'application/octet-stream',
}

test('types that programs insist on are sent', async (t) => {
  const files = Object.fromEntries(Object.keys(wanted).map((name) => [name, 'x']))
  const node = await startNode(t, { files, config: { workers: 1 } })
  const got = {}
  for (const name of Object.keys(wanted))
    got[name] = (await get(node.port, `/${name}`)).headers['content-type']
  assert.deepEqual(got, wanted)
  assert.ok(defined().size > 1000)
})

test('a compressed SVG says so, in every answer with its bytes, and is not offered compressed again', async (t) => {
  const bytes = 'the bytes of a gzip member'
  const node = await startNode(t, {
    files: {
      'a.svgz': bytes,
      'B.SVGZ': bytes,
      'a.svgz.br': 'never',
      'own/c.svgz': bytes,
      'd.svg': '<svg/>',
    },
    site: { errorPages: { 404: '/a.svgz' } },
    config: { workers: 1 },
  })
  const coded = { 'content-type': 'image/svg+xml', 'content-encoding': 'gzip', vary: undefined }
  for (const [target, options] of [
    ['/a.svgz', {}],
    ['/B.SVGZ', {}],
    ['/a.svgz', { lines: ['Accept-Encoding: br, gzip'] }],
    ['/a.svgz', { lines: ['Accept-Encoding: br'] }],
    ['/a.svgz', { method: 'HEAD' }],
    ['/a.svgz', { lines: ['Range: bytes=1-5'] }],
    ['/missing', {}],
  ]) {
    const { headers, text, status } = await get(node.port, target, options)
    const what = `${target} ${JSON.stringify(options)}: ${status}`
    for (const [name, value] of Object.entries(coded)) assert.equal(headers[name], value, what)
    if (options.method !== 'HEAD') assert.ok(bytes.includes(text) && text.length > 0, what)
  }
  const plain = await get(node.port, '/d.svg')
  assert.equal(plain.headers['content-encoding'], undefined)
})

test('a type that the config gives to .svgz is sent as it is', async (t) => {
  const node = await startNode(t, {
    files: { 'a.svgz': 'bytes' },
    config: { workers: 1, mimeTypes: { '.svgz': 'application/gzip' } },
  })
  const { headers } = await get(node.port, '/a.svgz')
  assert.equal(headers['content-type'], 'application/gzip')
  assert.equal(headers['content-encoding'], undefined)
})
