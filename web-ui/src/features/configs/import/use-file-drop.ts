// SPDX-License-Identifier: MIT
import { type DragEvent, useState } from 'react'

/** For the box that files are dropped into; `onDrop` is told while the event is: afterwards the browser tells nothing. */
export function useFileDrop(onDrop: (dropped: DataTransfer) => void) {
  const [isOver, setOver] = useState(false)
  return {
    'data-over': isOver,
    onDragOver: (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      onDrop(event.dataTransfer)
    },
  }
}

/** Words that are dragged belong to the field that they are dropped into. */
const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')
