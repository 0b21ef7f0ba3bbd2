// SPDX-License-Identifier: MIT
// What holds for the configs of every language: none of their lines is lost, their drafts are taken, and no text takes the
// importer down.
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/seeded-random.ts'
import type { Imported } from '../../../src/features/importers/imported.ts'
import { reportOf } from '../../../src/features/importers/report.ts'
import { sourceOf } from '../../../src/features/importers/source.ts'
import {
  type Directive,
  everyDirective,
  type Source,
  Unreadable,
} from '../../../src/features/importers/tree.ts'
import { checkOf } from './check-of.ts'
import type { Example } from './corpus.ts'

type Language = {
  examples: readonly Example[]
  imports: (mains: string[], source: Source) => Imported
  parse: (mains: string[], source: Source) => { directives: readonly Directive[] }
  /** Without the parser: how many directives a text has. */
  countOf: (text: string) => number
  /** What a text is spoilt with. */
  odd: readonly string[]
}

/** An expression that is none the old server does not take either. */
const TAKEN = /^stdin: right|"match" at byte/
const MUTATED = 1000
/** Each is a process. */
const CHECKED = 20

/** `place`: the line and the column that the refusal names. */
export function expectRefused(parse: () => unknown, why: RegExp, place: string): void {
  try {
    parse()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    expect(error.message).toMatch(why)
    expect(`${error.place.line}:${error.place.column}`).toBe(place)
    return
  }
  expect.unreachable()
}

export function everyConfig({ examples, imports, parse, countOf, odd }: Language): void {
  describe.each(examples)('$name', ({ main, files }) => {
    const found = imports([main], sourceOf(files))

    test('has each directive in one of the three lists', () => {
      const counted = files.reduce((sum, { text }) => sum + countOf(text), 0)
      const places = new Set(
        found.findings.map(({ file, line, column }) => `${file}:${line}:${column}`),
      )
      expect([found.findings.length, places.size]).toEqual([counted, counted])
      expect(
        found.findings.filter(({ verdict, notes }) => verdict !== 'taken' && notes.length === 0),
      ).toEqual([])
    })

    test('becomes a draft that farmstead-node takes, and a report', () => {
      expect(checkOf(found.draft ?? '')).toMatch(/^stdin: right/)
      const report = reportOf(main, found)
      for (const { line, column } of found.findings.slice(0, 20))
        expect(report).toContain(`:${line}:${column}`)
    })
  })

  test('whatever the text is, it is refused with its place or each directive is in a list', () => {
    const random = seededRandom(20_261_126)
    const below = (n: number) => Math.floor(random() * n)
    const texts = examples.flatMap(({ files }) => files.map(({ text }) => text))
    const drafts: string[] = []
    for (let round = 0; round < MUTATED; round++) {
      let text = texts[below(texts.length)] ?? ''
      for (let i = below(4) + 1; i > 0; i--) {
        const [at, length] = [below(text.length), below(30)]
        const other = texts[below(texts.length)] ?? ''
        const from = below(other.length)
        const put =
          below(2) === 0 ? (odd[below(odd.length)] ?? '') : other.slice(from, from + below(60))
        text = text.slice(0, at) + put + text.slice(at + length)
      }
      const main = '/etc/server.conf'
      const source = () => sourceOf([{ path: main, text }])
      try {
        const { draft, findings } = imports([main], source())
        const { directives } = parse([main], source())
        const places = [...everyDirective(directives)].map((one) => `${one.line}:${one.column}`)
        expect(findings.length).toBe(new Set(places).size)
        if (draft !== null) drafts.push(draft)
      } catch (error) {
        if (!(error instanceof Unreadable)) throw new Error(text, { cause: error })
      }
    }
    expect(drafts.length).toBeGreaterThan(CHECKED)
    const every = Math.floor(drafts.length / CHECKED)
    const some = drafts.filter((_, i) => i % every === 0)
    const refused = some.filter((draft) => !TAKEN.test(checkOf(draft)))
    expect(refused.map((draft) => checkOf(draft) + draft)).toEqual([])
  })
}
