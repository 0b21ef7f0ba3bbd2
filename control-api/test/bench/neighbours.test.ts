// SPDX-License-Identifier: MIT
// Real nodes of two zones, the real service: they give each other a release, and one that gives wrong bytes is found. Needs a
// release build.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempDir } from '../helper.ts'
import { makeFiles, pathOf } from './made-files.ts'
import { type Endable, ReleaseFarm } from './release-farm.ts'
import { until } from './until.ts'

const FILES = { files: 40, bytes: 2 ** 20 }
const RELEASE = 'www'

async function farmOf(nodes: number, zones: number) {
  const ends: Endable[] = []
  onTestFinished(() => {
    for (const { end } of ends) end()
  })
  const farm = await ReleaseFarm.start(tempDir(), (one) => ends.unshift(one))
  await farm.join(nodes, zones)
  await farm.setNeighbours(true)
  const root = join(farm.home, 'public')
  await makeFiles(root, FILES)
  const { number } = await farm.push(RELEASE, root)
  await farm.serveRelease(RELEASE)
  return { farm, rolledOut: await farm.rollOut({ [RELEASE]: number }) }
}

/** The disk of that node has it otherwise from now on, in all trees. */
function falsify(home: string, node: string, file: string): void {
  const trees = join(home, node, 'releases/trees')
  for (const tree of readdirSync(trees))
    writeFileSync(join(trees, tree, file), 'x'.repeat(8 * 1024))
}

test('a release leaves the control plane once for each zone', { timeout: 240_000 }, async () => {
  const { farm, rolledOut } = await farmOf(6, 2)
  expect(rolledOut.ended).toBe('succeeded')
  const sent = rolledOut.sentBytes / FILES.bytes
  expect(sent).toBeGreaterThan(1.9)
  expect(sent).toBeLessThan(2.5)
  await until('they say what they took', { withinMs: 60_000 }, async () => {
    const { takenBytes } = await farm.look('/neighbours/now')
    return Number(takenBytes) >= 4 * 0.95 * FILES.bytes
  })
})

test('who gives wrong bytes is named no more, and nothing of them is served', {
  timeout: 240_000,
}, async () => {
  const { farm, rolledOut } = await farmOf(1, 1)
  expect(rolledOut.ended).toBe('succeeded')
  falsify(farm.home, 'node-1', pathOf(1))
  await farm.join(1, 1)
  const { distrusted } = await farm.look('/neighbours/now')
  expect(distrusted).toMatchObject([{ node: { name: 'node-1' }, toldBy: { name: 'node-2' } }])
  const page = await fetch(`http://127.0.0.1:${farm.ports[1]}/${pathOf(1)}`)
  expect(page.status).toBe(200)
  expect(await page.text()).not.toMatch(/^x+$/)
})
