// SPDX-License-Identifier: MIT
import { wordsOf } from './findings.ts'

/** What an import says, with the names of options as such. */
export const Said = ({ text }: { text: string }) =>
  wordsOf(text).map(({ text: words, isCode }, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence, which never change places
    isCode ? <code key={i}>{words}</code> : words,
  )
