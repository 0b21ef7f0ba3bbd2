// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { diffLists } from '../../../../src/base/line-diff.ts'
import { diffTexts, linesOf, type TextHunk } from '../../../../src/base/text-diff.ts'
import { mergeTexts } from '../../../../src/features/configs/drafts/merge.ts'

/** Always the same "random" numbers: a failure can be looked at again. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}
const LINES = ['{\n', '}\n', '  "a": 1,\n', '  // why\n', '\n', '  "b": [2]\r\n', 'é']
const SEEDS = Array.from({ length: 300 }, (_, seed) => seed)

function someLines(roll: (sides: number) => number): string[] {
  const lines = Array.from({ length: roll(14) }, () => LINES[roll(LINES.length - 1)] ?? '')
  return roll(3) === 0 ? [...lines, 'é'] : lines
}
/** The same with a few lines put in, taken out or replaced. */
function edited(lines: readonly string[], roll: (sides: number) => number): string[] {
  const result = [...lines]
  for (let edits = roll(4); edits > 0; edits--) {
    result.splice(roll(result.length + 1), roll(3), ...someLines(roll).slice(0, roll(3)))
  }
  return linesOf(result.join(''))
}

function applied(from: readonly string[], to: readonly string[]): string[] {
  const result: string[] = []
  let at = 0
  for (const hunk of diffLists(from, to)) {
    result.push(...from.slice(at, hunk.fromStart), ...to.slice(hunk.toStart, hunk.toEnd))
    at = hunk.fromEnd
  }
  return [...result, ...from.slice(at)]
}

describe('the difference of two lists of lines', () => {
  it('makes one of the other, whatever they are', () => {
    for (const seed of SEEDS) {
      const roll = dice(seed)
      const from = someLines(roll)
      const to = roll(2) === 0 ? someLines(roll) : edited(from, roll)
      expect(applied(from, to), `seed ${seed}`).toEqual(to)
    }
  })

  it('is as short as it can be', () => {
    expect(diffLists(['a', 'b', 'c', 'a', 'b'], ['a', 'c', 'b', 'a', 'b'])).toHaveLength(2)
    expect(diffLists(['x', 'b', 'x'], ['b'])).toEqual([
      { fromStart: 0, fromEnd: 1, toStart: 0, toEnd: 0 },
      { fromStart: 2, fromEnd: 3, toStart: 1, toEnd: 1 },
    ])
  })

  it('of very different texts is one large hunk between what is alike at both ends', () => {
    const other = (name: string) => ['head', ...Array.from({ length: 5000 }, (_, i) => name + i)]
    const [from, to] = [
      [...other('a'), 'tail'],
      [...other('b'), 'tail'],
    ]
    expect(diffLists(from, to)).toEqual([{ fromStart: 1, fromEnd: 5001, toStart: 1, toEnd: 5001 }])
  })

  it('of a megabyte of equal lines with one more is one line', () => {
    const lines = Array<string>(1_000_000).fill('\n')
    expect(diffLists(lines, ['x', ...lines.slice(1), 'y'])).toHaveLength(2)
  })
})

describe('the difference of two texts', () => {
  const patched = (from: string, hunks: readonly TextHunk[]) => {
    const lines = linesOf(from)
    let [result, at] = ['', 0]
    for (const hunk of hunks) {
      const start = hunk.fromLines === 0 ? hunk.fromLine : hunk.fromLine - 1
      result += lines.slice(at, start).join('')
      for (const [i, line] of hunk.lines.entries()) {
        if (line.startsWith('-') || line.startsWith('\\')) continue
        result += line.slice(1) + (hunk.lines[i + 1]?.startsWith('\\') ? '' : '\n')
      }
      at = start + hunk.fromLines
    }
    return result + lines.slice(at).join('')
  }

  it('has three lines of context, and close changes together', () => {
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`)
    const to = lines.with(9, 'ten\n').with(14, 'fifteen\n').toSpliced(28, 1)
    const [first, second, ...more] = diffTexts(lines.join(''), to.join(''), 3)
    expect(first).toMatchObject({ fromLine: 7, fromLines: 12, toLine: 7, toLines: 12 })
    expect(first?.lines.slice(2, 6)).toEqual([' line 9', '-line 10', '+ten', ' line 11'])
    expect(second).toEqual({
      fromLine: 26,
      fromLines: 5,
      toLine: 26,
      toLines: 4,
      lines: [' line 26', ' line 27', ' line 28', '-line 29', ' line 30'],
    })
    expect(more).toEqual([])
  })

  it('says that a last line has no end', () => {
    expect(diffTexts('a\nb', 'a\nb\n', 0)).toEqual([
      {
        fromLine: 2,
        fromLines: 1,
        toLine: 2,
        toLines: 1,
        lines: ['-b', '\\ No newline at end of file', '+b'],
      },
    ])
  })

  it('makes one of the other, whatever they are', () => {
    for (const seed of SEEDS) {
      const roll = dice(seed)
      const from = someLines(roll)
      const [a, b] = [from.join(''), edited(from, roll).join('')]
      expect(patched(a, diffTexts(a, b, roll(4))), `seed ${seed}`).toBe(b)
    }
  })
})

describe('a three-way merge', () => {
  const base = '{\n  // loops\n  "workers": 2,\n  "charset": "utf-8",\n  "sites": []\n}\n'

  it('takes what only one of both changed, comments and layout too', () => {
    const mine = base.replace('// loops', '// one per core')
    const current = base.replace('[]', '[\n    {}\n  ]')
    expect(mergeTexts(base, mine, current)).toEqual({
      text: '{\n  // one per core\n  "workers": 2,\n  "charset": "utf-8",\n  "sites": [\n    {}\n  ]\n}\n',
      conflicts: [],
    })
  })

  it('shows both where both changed the same lines, and loses neither', () => {
    const mine = base.replace('2', '4')
    const current = base.replace('2', '8').replace('[]', '[{}]')
    expect(mergeTexts(base, mine, current, { mine: 'ana', current: 'ben' })).toEqual({
      text: '{\n  // loops\n<<<<<<< ana\n  "workers": 4,\n=======\n  "workers": 8,\n>>>>>>> ben\n  "charset": "utf-8",\n  "sites": [{}]\n}\n',
      conflicts: [
        {
          startLine: 3,
          mine: ['  "workers": 4,'],
          base: ['  "workers": 2,'],
          current: ['  "workers": 8,'],
        },
      ],
    })
  })

  it('keeps the ends of lines as they are', () => {
    const windows = base.replaceAll('\n', '\r\n')
    const { text } = mergeTexts(windows, windows.replace('2', '4'), windows.replace('2', '8'))
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    expect(text).toContain('<<<<<<< yours\r\n')
    expect(mergeTexts('a\nb', 'a\nmine', 'a\ncurrent').text).toBe(
      'a\n<<<<<<< yours\nmine\n=======\ncurrent\n>>>>>>> theirs\n',
    )
  })

  it('of a change and nothing, or of the same change twice, is that change', () => {
    for (const seed of SEEDS) {
      const roll = dice(seed)
      const from = someLines(roll)
      const [a, b] = [from.join(''), edited(from, roll).join('')]
      for (const [mine, current] of [
        [a, b],
        [b, a],
        [b, b],
      ] as const) {
        expect(mergeTexts(a, mine, current), `seed ${seed}`).toEqual({ text: b, conflicts: [] })
      }
    }
  })

  it('is the same from both sides, and never drops a line that one of both put in', () => {
    for (const seed of SEEDS) {
      const roll = dice(seed)
      const from = someLines(roll)
      const [a, mine, current] = [from, edited(from, roll), edited(from, roll)].map((lines) =>
        lines.join(''),
      ) as [string, string, string]
      const labels = { mine: '', current: '' }
      const [one, other] = [
        mergeTexts(a, mine, current, labels),
        mergeTexts(a, current, mine, labels),
      ]
      expect(one.conflicts.length, `seed ${seed}`).toBe(other.conflicts.length)
      for (const { startLine } of one.conflicts) {
        expect(linesOf(one.text)[startLine - 1]).toMatch(/^<<<<<<< /)
      }
      for (const side of [mine, current]) {
        const added = linesOf(side).filter((line) => !from.includes(line))
        for (const line of added) expect(one.text, `seed ${seed}`).toContain(line.trimEnd())
      }
    }
  })
})
