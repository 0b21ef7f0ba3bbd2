// SPDX-License-Identifier: MIT
import { t } from '../../../../languages/t.ts'
import classes from './comparison.module.css'
import type { Difference } from './report-file.ts'
import { aspectWord, valueWord } from './words.ts'

type Word = { word: string; isCode: boolean }

/** What of it was so and is now so, in a line. */
export function Change({ aspect, old, new: now }: Omit<Difference, 'path'>) {
  return (
    <p className={classes.change}>
      <span className="dim">
        <Said {...aspectWord(aspect)} />
      </span>{' '}
      <Said {...valueWord(old)} /> <span aria-hidden="true">→</span>
      <span className="visually-hidden"> {t('is now')} </span> <Said {...valueWord(now)} />
    </p>
  )
}

const Said = ({ word, isCode }: Word) => (isCode ? <code>{word}</code> : word)
