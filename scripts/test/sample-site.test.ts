// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { inflateSync } from 'node:zlib'
import { pictures } from '../sample-site/catalogue.ts'
import { generateSite } from '../sample-site/generate.ts'
import { textFiles } from '../sample-site/pages.ts'
import { encodePng } from '../sample-site/png.ts'

const dir = mkdtempSync(join(tmpdir(), 'farmstead-site-'))
after(() => rmSync(dir, { recursive: true }))

const paeth = (a: number, b: number, c: number) => {
  const p = a + b - c
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)]
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
}

/** Decodes what encodePng writes: one IDAT, 8-bit RGB. Written from the standard, not from our encoder. */
function decodePng(png: Buffer) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const idat = png.indexOf('IDAT')
  const data = inflateSync(png.subarray(idat + 4, idat + 4 + png.readUInt32BE(idat - 4)))
  const stride = width * 3
  const out = new Uint8Array(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)]
    for (let i = 0; i < stride; i++) {
      const a = i < 3 ? 0 : (out[y * stride + i - 3] ?? 0)
      const b = y === 0 ? 0 : (out[(y - 1) * stride + i] ?? 0)
      const c = i < 3 || y === 0 ? 0 : (out[(y - 1) * stride + i - 3] ?? 0)
      const guess = [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter ?? 0] ?? 0
      out[y * stride + i] = (data[y * (stride + 1) + 1 + i] ?? 0) + guess
    }
  }
  return { width, height, rgb: out }
}

describe('encodePng', () => {
  it('writes pixels that a decoder reads back', () => {
    const [width, height] = [37, 23]
    const rgb = Uint8Array.from({ length: width * height * 3 }, (_, i) => (i * i + (i >> 4)) & 0xff)
    assert.deepEqual(decodePng(encodePng(width, height, rgb)), { width, height, rgb })
  })
})

describe('the sample site', () => {
  const site = join(dir, 'site')
  generateSite(site, 1)
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' })

  it('is left alone when it is there', () => assert.equal(generateSite(site, 1), false))

  it('is the same bytes each time', () => {
    const again = join(dir, 'again')
    generateSite(again, 1)
    for (const file of files.filter((path) => /\.(png|html|json)$/.test(path))) {
      assert(readFileSync(join(site, file)).equals(readFileSync(join(again, file))), file)
    }
  })

  it('has a file of 5 GiB that takes no room', () => {
    const { size, blocks } = statSync(join(site, 'downloads/five-gibibytes.bin'))
    assert.equal(size, 5 * 1024 ** 3)
    assert.equal(blocks, 0)
  })

  it('links only to what is there', () => {
    const images = pictures.flatMap(({ slug }) =>
      ['full', 'card', 'mini'].map((size) => `images/${size}/${slug}.png`),
    )
    const there = new Set([...textFiles().keys(), ...images, 'downloads/five-gibibytes.bin'])
    for (const [page, html] of textFiles()) {
      for (const [, target = ''] of html.matchAll(/(?:href|src)="\/([^"]*)"/g)) {
        const file = target === '' || target.endsWith('/') ? `${target}index.html` : target
        assert(there.has(file), `${page} links to /${target}`)
      }
    }
  })
})
