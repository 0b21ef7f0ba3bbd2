// SPDX-License-Identifier: MIT
// Which characters end each line of a text, kept beside the editor's document, where every line end
// is one and the same. What is written back has the author's: LF, CR LF or CR, also mixed.
import { invertedEffects } from '@codemirror/commands'
import {
  type ChangeDesc,
  type EditorState,
  type Extension,
  RangeSet,
  RangeSetBuilder,
  RangeValue,
  StateEffect,
  StateField,
} from '@codemirror/state'

const LINE_END = /\r\n|\n|\r/g

/** Stands over a line end that is not the usual one of its text; what is typed beside it is not in it. */
class OtherEnd extends RangeValue {
  override readonly startSide = 1
  override readonly endSide = -1
  readonly end: string
  constructor(end: string) {
    super()
    this.end = end
  }
  override eq(other: RangeValue): boolean {
    return other instanceof OtherEnd && other.end === this.end
  }
}

/** `usual` also ends the lines that are typed. */
export type LineEnds = { usual: string; others: RangeSet<OtherEnd> }

function usualOf(ends: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1)
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  return most?.[0] ?? '\n'
}

export function lineEndsOf(text: string): LineEnds {
  const found = [...text.matchAll(LINE_END)]
  const usual = usualOf(found.map(([end]) => end))
  const others = new RangeSetBuilder<OtherEnd>()
  let dropped = 0
  for (const { 0: end, index } of found) {
    if (end !== usual) others.add(index - dropped, index - dropped + 1, new OtherEnd(end))
    dropped += end.length - 1
  }
  return { usual, others: others.finish() }
}

export const plainLineEnds = (text: string) => text.replace(LINE_END, '\n')

const mapped = ({ usual, others }: LineEnds, changes: ChangeDesc): LineEnds => ({
  usual,
  others: others.map(changes),
})

/** The text is another, line ends and all. */
export const setLineEnds = StateEffect.define<LineEnds>({ map: mapped })

const field = StateField.define<LineEnds>({
  create: () => ({ usual: '\n', others: RangeSet.empty }),
  update: (before, transaction) => {
    const set = transaction.effects.findLast((effect) => effect.is(setLineEnds))
    if (set !== undefined) return set.value
    return transaction.docChanged ? mapped(before, transaction.changes) : before
  },
})

/** What was deleted comes back with the line ends that it had. */
const undone = invertedEffects.of(({ startState, docChanged, effects }) => {
  const before = startState.field(field)
  const isOther = effects.some((effect) => effect.is(setLineEnds))
  return isOther || (docChanged && before.others.size > 0) ? [setLineEnds.of(before)] : []
})

export const keepLineEnds = (text: string): Extension => [
  field.init(() => lineEndsOf(text)),
  undone,
]

/** The state's text as its author wrote it. */
export function authorsText(state: EditorState): string {
  const { usual, others } = state.field(field)
  let text = ''
  let from = 0
  for (const cursor = others.iter(); cursor.value !== null; cursor.next()) {
    text += state.doc.sliceString(from, cursor.from, usual) + cursor.value.end
    from = cursor.to
  }
  return text + state.doc.sliceString(from, state.doc.length, usual)
}
