// SPDX-License-Identifier: MIT
// What makes one manifest of another: right for any two, made once for all who ask, and bounded.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '../../src/base/ids.ts'
import { seededRandom } from '../../src/base/seeded-random.ts'
import { createDeltas, deltaOf } from '../../src/release-store/deltas.ts'
import type { Entry } from '../../src/release-store/entries.ts'
import { openFolder } from '../../src/release-store/folder.ts'
import { createRoom } from '../../src/release-store/room.ts'
import { tempDir } from '../helper.ts'
import { fileOf, putContent, textOf } from './manifests.ts'

let folder: ReturnType<typeof openFolder>
let room: ReturnType<typeof createRoom>
beforeEach(() => {
  folder = openFolder(tempDir())
  room = createRoom(folder, 1024 ** 3)
})

const keep = (text: string): string => putContent(folder, text)

const lines = (text: string) => text.split('\n').slice(0, -1)

/** As a node does it. */
function applied(base: string, delta: string): string {
  const rest = lines(base)
  const made = lines(delta).flatMap((line) => {
    if (line.startsWith('{')) return [line]
    const taken = rest.splice(0, Number(line.slice(1)))
    return line.startsWith('=') ? taken : []
  })
  expect(rest).toEqual([])
  return made.map((line) => `${line}\n`).join('')
}

async function between(from: string, to: string): Promise<string> {
  let text = ''
  const sides = { from: folder.blob(keep(from)), to: folder.blob(keep(to)) }
  for await (const some of deltaOf(sides)) text += some
  return text
}

const many = (count: number, changed = (_: number) => false): string =>
  textOf(
    Array.from({ length: count }, (_, at) =>
      fileOf(`d/${at}`, changed(at) ? `new ${at}` : `${at}`),
    ),
  )

describe('a delta of manifests', () => {
  test('says what is the same by its length, and what is new by its lines', async () => {
    const from = textOf([fileOf('a', '1'), fileOf('b', '1'), fileOf('c', '1'), fileOf('e', '1')])
    const to = textOf([fileOf('a', '1'), fileOf('b', '2'), fileOf('d', '1'), fileOf('e', '1')])
    const [, changed, added] = lines(to)
    expect(await between(from, to)).toBe(`=1\n-1\n${changed}\n-1\n${added}\n=1\n`)
    expect(await between(to, to)).toBe('=4\n')
    expect(await between('', to)).toBe(to)
    expect(await between(from, '')).toBe('-4\n')
  })

  test('makes the one of the other, whatever they are', async () => {
    const random = seededRandom(184)
    const tree = (): Entry[] =>
      Array.from({ length: 60 }, (_, at) => at).flatMap((at): Entry[] => {
        const path = at % 3 === 1 ? `a/b-${at}` : `ü${at}`
        if (random() < 0.3) return []
        if (random() < 0.1) return [{ path, type: 'link', target: 'x' }]
        return [fileOf(path, `${Math.floor(random() * 2)}`)]
      })
    for (let round = 0; round < 40; round++) {
      const [from, to] = [textOf(tree()), textOf(tree())]
      expect(applied(from, await between(from, to))).toBe(to)
    }
  })

  test('of many lines is as small as what changed', async () => {
    const [from, to] = [many(20_000), many(20_000, (at) => at % 200 === 0)]
    const delta = await between(from, to)
    expect(applied(from, delta)).toBe(to)
    expect(delta.length).toBeLessThan(to.length / 100)
  })

  test('is made once for all who ask, and on the disk', async () => {
    const [base, target] = [keep(many(500)), keep(many(500, (at) => at === 7))]
    const deltas = createDeltas({ folder, room })
    const [one, other] = await Promise.all([
      deltas.between({ target, base }),
      deltas.between({ target, base }),
    ])
    expect(one).toBe(other)
    expect(await deltas.between({ target, base })).toBe(one)
    expect(one).toMatchObject({ path: folder.delta({ target, base }), size: expect.any(Number) })
  })

  test('that is hardly smaller than the whole is none, and leaves nothing', async () => {
    const [base, target] = [keep(many(50)), keep(many(50, () => true))]
    expect(await createDeltas({ folder, room }).between({ target, base })).toBeNull()
    expect(existsSync(folder.delta({ target, base }))).toBe(false)
  })

  test('of a manifest that is gone is refused, and can be had when it is there again', async () => {
    const [text, target] = [many(50), keep(many(50, (at) => at === 7))]
    const base = sha256(text)
    const deltas = createDeltas({ folder, room })
    await expect(deltas.between({ target, base })).rejects.toMatchObject({ code: 'ENOENT' })
    keep(text)
    expect(await deltas.between({ target, base })).not.toBeNull()
  })

  test('that the disk has changed is made anew, and looked at now and then only', async () => {
    const [base, target] = [keep(many(500)), keep(many(500, (at) => at === 7))]
    let nowMs = 0
    const deltas = createDeltas({ folder, room, monotonicMs: () => nowMs })
    const path = folder.delta({ target, base })
    await deltas.between({ target, base })
    const right = readFileSync(path, 'utf8')
    const isRightAfter = async (ms: number) => {
      nowMs += ms
      await deltas.between({ target, base })
      return readFileSync(path, 'utf8') === right
    }
    writeFileSync(path, right.replace('=', '-'))
    expect(await isRightAfter(9 * 60_000)).toBe(false)
    expect(await isRightAfter(60_000)).toBe(true)
    rmSync(path)
    expect(await isRightAfter(10 * 60_000)).toBe(true)
  })

  test('counts as what releases take, and is none where it has no room', async () => {
    const base = keep(many(500))
    const targets = [1, 2, 3].map((changed) => keep(many(500, (at) => at === changed)))
    await room.counted
    const before = room.usedBytes()
    const deltas = createDeltas({ folder, room }, { mostBytes: 1_000_000, most: 2 })
    const sizes: number[] = []
    for (const target of targets) sizes.push((await deltas.between({ target, base }))?.size ?? 0)
    expect(room.usedBytes() - before).toBe((sizes[1] ?? 0) + (sizes[2] ?? 0))
    const full = createDeltas({ folder, room: createRoom(folder, 1) })
    const [target = ''] = targets
    expect(await full.between({ target, base })).toBeNull()
    expect(existsSync(folder.delta({ target, base }))).toBe(false)
  })

  test('goes when others were asked for since, and with the service', async () => {
    const base = keep(many(500))
    const targets = [1, 2, 3].map((changed) => keep(many(500, (at) => at === changed)))
    const deltas = createDeltas({ folder, room }, { mostBytes: 1_000_000, most: 2 })
    for (const target of targets) await deltas.between({ target, base })
    const areThere = () => targets.map((target) => existsSync(folder.delta({ target, base })))
    expect(areThere()).toEqual([false, true, true])
    openFolder(folder.root.replace(/\/releases$/, ''))
    expect(areThere()).toEqual([false, false, false])
  })
})
