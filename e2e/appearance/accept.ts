// SPDX-License-Identifier: MIT
// Takes the console as it looks now for right: makes each picture anew that differs from it, and those that are not there yet.
// `npm run appearance:accept -w e2e`, after web-ui is built; then look at each that changed before you commit it.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { launchOptions } from '../chromium.ts'
import { isSmall, smallPng } from './small-png.ts'

const FOLDER = import.meta.dirname
const PLAYWRIGHT = join(FOLDER, '../../node_modules/@playwright/test/cli.js')
const SPEC = 'specs/journeys/appearance.spec.ts'

const browser = await chromium.launch(launchOptions)
const made = { chromium: browser.version() }
await browser.close()

const words = [PLAYWRIGHT, 'test', SPEC, '--update-snapshots=changed', ...process.argv.slice(2)]
const run = spawnSync(process.execPath, words, { cwd: join(FOLDER, '..'), stdio: 'inherit' })

let bytes = 0
for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.png'))) {
  const path = join(FOLDER, name)
  const before = readFileSync(path)
  const after = isSmall(before) ? before : smallPng(before)
  bytes += after.length
  if (after === before) continue
  writeFileSync(path, after)
  process.stdout.write(`${name}: ${before.length} bytes, now ${after.length}\n`)
}
writeFileSync(join(FOLDER, 'made-with.json'), `${JSON.stringify(made, null, 2)}\n`)
process.stdout.write(`all pictures: ${(bytes / 1e6).toFixed(1)} MB\n`)
process.exitCode = run.status ?? 1
