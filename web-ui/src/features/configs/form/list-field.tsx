// SPDX-License-Identifier: MIT
// A list of words, one a line: lines are put in order, pasted and taken out as in any text.

import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../../languages/t.ts'
import classes from './form.module.css'
import { removeValue, setItems } from './form-edits.ts'
import { pointerOf, problemsWithin, problemWords, useForm } from './form-state.ts'
import { defaultWords } from './form-words.ts'
import type { FieldProps } from './option-fields.tsx'
import { UseDefault, useFieldFrame } from './single-fields.tsx'

const wordsOf = (lines: string) =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

export function ListField(props: FieldProps) {
  const { path, schema, isRequired } = props
  const items = props.value as string[] | undefined
  const { problems, edit } = useForm()
  const { inputWrapperOrder, ...frame } = useFieldFrame(props)
  const [typed, setTyped] = useState<string | null>(null)
  const pointer = pointerOf(path)
  const written = items?.join('\n') ?? ''
  // What is typed may have empty lines and blanks, which the text has not; else the text counts.
  const isMine = typed !== null && wordsOf(typed).join('\n') === written
  const hasDefault = defaultWords(schema) !== null
  const wrong = problemsWithin(problems, pointer).map((problem) => {
    const index = problem.pointer.slice(pointer.length + 1)
    const words = problemWords(problem, schema.description)
    return index === '' ? words : t('Line {index}: {words}', { index: Number(index) + 1, words })
  })
  return (
    <div>
      <Textarea
        {...frame}
        inputWrapperOrder={[...inputWrapperOrder]}
        error={wrong.length === 0 ? null : wrong.join(' ')}
        autosize
        minRows={1}
        maxRows={12}
        spellCheck={false}
        autoCapitalize="off"
        value={isMine ? typed : written}
        placeholder={
          items === undefined && Array.isArray(schema.default)
            ? schema.default.join('\n')
            : items?.length === 0 && hasDefault
              ? t('(none)')
              : undefined
        }
        classNames={{ input: classes.input ?? '' }}
        onChange={(event) => {
          const lines = event.currentTarget.value
          setTyped(lines)
          edit((text) => setItems(text, path, wordsOf(lines)))
        }}
        onBlur={() => {
          setTyped(null)
          const isEmpty = items?.length === 0
          if (isEmpty && !isRequired && !hasDefault) edit((text) => removeValue(text, path))
        }}
      />
      {hasDefault && <UseDefault {...props} />}
    </div>
  )
}
