// SPDX-License-Identifier: MIT
import { Modal } from '@mantine/core'
import classes from './dialog.module.css'

export type DialogProps = {
  title: string
  size?: 'md' | 'lg'
  onClose: () => void
  children: React.ReactNode
}

/** The kit's modal, without its <header>, which would be a second banner of the page. */
export function Dialog({ title, size = 'md', onClose, children }: DialogProps) {
  return (
    // A className of Modal.Content would also be that of the box around it, which fills the window.
    <Modal.Root
      opened
      onClose={onClose}
      size={size}
      yOffset="8vh"
      classNames={{ content: classes.content ?? '' }}
    >
      <Modal.Overlay backgroundOpacity={0.5} />
      <Modal.Content>
        <div className={classes.head}>
          <Modal.Title className={classes.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
