// SPDX-License-Identifier: MIT
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { docsIndex } from './docs-index.ts'

const COMPRESSIBLE = /\.(?:js|css|svg)$/

/** Once here, as well as it goes, and not by the control plane for each who asks. */
const compressed = (): Plugin => ({
  name: 'compressed-copies',
  apply: 'build',
  writeBundle({ dir = '' }, bundle) {
    for (const [name, file] of Object.entries(bundle)) {
      if (!COMPRESSIBLE.test(name)) continue
      const content = Buffer.from(file.type === 'chunk' ? file.code : file.source)
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(content))
      writeFileSync(join(dir, `${name}.gz`), gzipSync(content, { level: 9 }))
    }
  },
})

const FIRST_LOAD_MAX_BYTES = 250_000
const START_OF_LANGUAGE = /\/languages\/\w+\/start\.json$/

/** What a browser fetches before it shows anything, in the largest language: more of it fails the build. */
const firstLoad = (): Plugin => ({
  name: 'first-load',
  apply: 'build',
  writeBundle(_, bundle) {
    const page = bundle['index.html']
    const html = page?.type === 'asset' ? String(page.source) : ''
    const named = Object.entries(bundle).filter(([name]) => html.includes(`/${name}"`))
    const bytesOf = ([, file]: (typeof named)[number]) =>
      brotliCompressSync(file.type === 'chunk' ? file.code : file.source).length
    // The console waits for the words of its language, too.
    const words = Object.entries(bundle)
      .filter(
        ([, file]) => file.type === 'chunk' && START_OF_LANGUAGE.test(file.facadeModuleId ?? ''),
      )
      .map(bytesOf)
    if (words.length === 0) this.error('no language has words for the start')
    const bytes = named.reduce((sum, one) => sum + bytesOf(one), Math.max(...words))
    this.info(`the first load is ${bytes} bytes, compressed`)
    if (!named.some(([name]) => name.endsWith('.js'))) this.error('index.html names no script')
    if (bytes > FIRST_LOAD_MAX_BYTES) {
      this.error(
        `the first load is ${bytes} bytes, compressed; at most ${FIRST_LOAD_MAX_BYTES}: load what not every page needs when it is needed`,
      )
    }
  },
})

export default defineConfig({
  base: '/',
  // Below a base path the control plane changes the addresses in index.html (FARMSTEAD_BASE_PATH); scripts
  // and styles find each other from where they are. One build serves everywhere.
  experimental: {
    renderBuiltUrl: (_name, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  // Catalogs of languages have messages for names, which nobody imports one by one.
  json: { namedExports: false },
  plugins: [react(), docsIndex(), compressed(), firstLoad()],
  build: {
    // The first versions that know CSS light-dark(), which the palette is written in.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // Files of their own, so that the server's CSP needs no data: URLs for them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What each page needs is one file: else it is some twenty, six of which a browser asks for at a time.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': process.env.FARMSTEAD_API_URL ?? 'http://127.0.0.1:9700' },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/test/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    // Screens are worked through key by key; on a busy machine that takes longer than the usual 5 s.
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Vitest would leave one of two cores idle, for a main process that does almost nothing here.
    maxWorkers: '100%',
    // Files share their modules: to load React, the kit and the editor anew took more than the tests. What a
    // test puts in the place of the browser's own is taken back after it.
    isolate: false,
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
  },
})
