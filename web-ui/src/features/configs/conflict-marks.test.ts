// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { conflictLines, conflictsIn, resolveConflict } from './conflict-marks.ts'

const TEXT = `{
<<<<<<< your text
  "workers": 2,
=======
  "workers": 9,
  "charset": "utf-8",
>>>>>>> v7 by ben
  "a": 1
<<<<<<< your text
=======
  "b": 2
>>>>>>> v7 by ben
}
`

describe('conflicts in a merged text', () => {
  test('are found with both sides, also an empty one, and who they are of', () => {
    const labels = { mine: 'your text', theirs: 'v7 by ben' }
    expect(conflictsIn(TEXT)).toMatchObject([
      { line: 2, mine: ['  "workers": 2,'], theirs: ['  "workers": 9,', '  "charset": "utf-8",'] },
      { line: 9, mine: [], theirs: ['  "b": 2'] },
    ])
    expect(conflictsIn(TEXT).map((one) => one.labels)).toEqual([labels, labels])
    expect(conflictLines(TEXT)).toEqual([2, 9])
  })

  test.each([
    ['mine', '  "workers": 2,\n'],
    ['theirs', '  "workers": 9,\n  "charset": "utf-8",\n'],
    ['both', '  "workers": 2,\n  "workers": 9,\n  "charset": "utf-8",\n'],
  ] as const)('become what was chosen (%s), and the rest stays', (choice, lines) => {
    const [before = '', , after = ''] = [TEXT.slice(0, 2), '', TEXT.slice(TEXT.indexOf('  "a"'))]
    expect(resolveConflict(TEXT, 2, choice)).toBe(before + lines + after)
  })

  test('keep their line ends', () => {
    const mixed = TEXT.replaceAll('\n', '\r\n')
    const resolved = resolveConflict(resolveConflict(mixed, 2, 'mine'), 4, 'theirs')
    expect(resolved).toBe('{\r\n  "workers": 2,\r\n  "a": 1\r\n  "b": 2\r\n}\r\n')
  })

  test('with a mark gone are no choice, and neither is what follows made one of it', () => {
    const broken = TEXT.replace('=======\n  "workers"', '  "workers"')
    expect(conflictsIn(broken).map(({ line }) => line)).toEqual([8])
    expect(conflictLines(broken)).toEqual([2, 8])
    expect(resolveConflict(broken, 2, 'mine')).toBe(broken)
  })
})
