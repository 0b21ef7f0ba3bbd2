// SPDX-License-Identifier: MIT
// Every dialog of the console: what is done with `Dialog` and `DialogActions` here needs no thought
// in the dialogs themselves, and src/test/dialogs.test.tsx holds each of them to it.

import { Button, Modal } from '@mantine/core'
import { createContext, type KeyboardEvent, use, useState } from 'react'
import { useDialogFocus } from '../hooks/use-dialog-focus.ts'
import { t } from '../languages/t.ts'
import classes from './dialog.module.css'

export type DialogProps = {
  title: string
  size?: 'md' | 'lg' | 'xl'
  /** It shows what nobody will see again: only who says so leaves it. */
  shownOnce?: boolean
  /** What is typed into it is not worth keeping: a click beside it always closes it. */
  isQuick?: boolean
  onClose: () => void
  children: React.ReactNode
}

const OnClose = createContext<() => void>(() => {})

/** The kit's modal, without its <header>, which would be a second banner of the page. */
export function Dialog(props: DialogProps) {
  const { title, size = 'md', shownOnce = false, isQuick = false, onClose, children } = props
  // A click that missed a field must not cost what was typed into the others.
  const [isTypedIn, setTypedIn] = useState(false)
  return (
    // A className of Modal.Content would also be that of the box around it, which fills the window.
    <Modal.Root
      opened
      onClose={onClose}
      closeOnClickOutside={!(isTypedIn || shownOnce)}
      closeOnEscape={!shownOnce}
      size={size}
      yOffset="8vh"
      classNames={{ content: classes.content ?? '' }}
    >
      <Modal.Overlay backgroundOpacity={0.5} />
      <Modal.Content>
        <div className={classes.head}>
          <Modal.Title className={classes.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={t('Close')} />
        </div>
        <Modal.Body>
          <OnClose value={onClose}>
            <Inside onInput={() => setTypedIn(!isQuick)}>{children}</Inside>
          </OnClose>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

type InsideProps = { onInput: () => void; children: React.ReactNode }

function Inside({ onInput, children }: InsideProps) {
  const focus = useDialogFocus()
  return (
    // The kit's trap gives the focus to the first `data-autofocus`: to this, which passes it on.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens for what bubbles up
    <div
      {...focus}
      data-autofocus
      className={classes.inside}
      onInput={onInput}
      onKeyDown={submitWithCtrlEnter}
    >
      {children}
    </div>
  )
}

/** Enter ends a line in a field of several; with Ctrl or ⌘ it does what it does in any other field. */
function submitWithCtrlEnter({ key, ctrlKey, metaKey, target }: KeyboardEvent): void {
  if (key !== 'Enter' || !(ctrlKey || metaKey)) return
  if (target instanceof HTMLTextAreaElement) target.form?.requestSubmit()
}

type DialogActionsProps = {
  /** The button that does it; none where nothing is left to do. */
  children?: React.ReactNode
  /** What leaving without doing it is called. */
  leave?: string
}

/** The last row of a dialog: what it does, and the way out that does nothing. */
export function DialogActions({ children, leave = t('Cancel') }: DialogActionsProps) {
  const onClose = use(OnClose)
  return (
    <div className={classes.actions}>
      {children}
      <Button variant="default" data-way-out onClick={onClose}>
        {leave}
      </Button>
    </div>
  )
}
