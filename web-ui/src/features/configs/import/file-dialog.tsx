// SPDX-License-Identifier: MIT
// A file of the import: pasted, or looked at and mended.

import { Textarea, TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { t } from '../../../languages/t.ts'
import { type GivenFile, pathOf } from './input.ts'

/** `line`: to begin at. */
export type OpenFile = GivenFile & { line?: number }
type Props = {
  file: OpenFile
  folder: string
  onClose: () => void
  onSave: (file: GivenFile) => void
}

export function FileDialog({ file, folder, onClose, onSave }: Props) {
  const [name, setName] = useState(file.name)
  const [text, setText] = useState(file.text)
  const isNew = file.text === ''
  const blockedBy =
    name.trim() === '' || name.endsWith('/')
      ? t('Give it a name first.')
      : text.trim() === ''
        ? t('Paste its text first.')
        : null
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (blockedBy === null) onSave({ name: name.trim(), text })
  }
  return (
    <Dialog title={isNew ? t('Paste a file') : file.name} size="lg" onClose={onClose}>
      <form className="stack" onSubmit={handleSubmit} noValidate>
        <TextInput
          label={t('Name')}
          description={t('{path} on that server. It may be a whole path.', {
            path: pathOf(folder, name),
          })}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={1000}
          spellCheck={false}
          autoComplete="off"
        />
        <Textarea
          label={t('Text')}
          rows={18}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          styles={{ input: { fontFamily: 'var(--fs-mono)' } }}
          value={text}
          ref={file.line === undefined ? null : showLine(file.line)}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          data-autofocus
        />
        <DialogActions>
          <ActionButton type="submit" blockedBy={blockedBy}>
            {isNew ? t('Add the file') : t('Keep the changes')}
          </ActionButton>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const shown = new WeakSet<HTMLTextAreaElement>()
/** Once: afterwards the reader scrolls. */
const showLine = (line: number) => (field: HTMLTextAreaElement | null) => {
  if (field === null || shown.has(field)) return
  shown.add(field)
  const lines = field.value.split('\n')
  const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0)
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  const heightPx = Number.parseFloat(getComputedStyle(field).lineHeight) || 20
  field.scrollTop = Math.max(0, line - 4) * heightPx
}
