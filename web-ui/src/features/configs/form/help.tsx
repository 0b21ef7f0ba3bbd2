// SPDX-License-Identifier: MIT
// What an option is about, in a sentence, with the rest for who asks for it.

import { useState } from 'react'
import { t } from '../../../languages/t.ts'
import classes from './form.module.css'
import type { Help } from './form-words.ts'

export function HelpText({ title, help }: { title: string; help: Help }) {
  const [isLong, setLong] = useState(false)
  if (help.long === help.short) return <span lang="en">{help.short}</span>
  const word = isLong ? t('Less') : t('More')
  return (
    <>
      <span lang="en">{isLong ? help.long : help.short}</span>{' '}
      <button
        type="button"
        className={classes.more}
        aria-expanded={isLong}
        aria-label={t('{word} about {title}', { word, title })}
        onClick={() => setLong(!isLong)}
      >
        {word}
      </button>
    </>
  )
}
