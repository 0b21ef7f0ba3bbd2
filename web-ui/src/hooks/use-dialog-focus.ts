// SPDX-License-Identifier: MIT
import { type FocusEvent, useEffect, useEffectEvent, useRef, useState } from 'react'

const FIELD = 'input:not([type=hidden], :disabled), select:not(:disabled), textarea:not(:disabled)'

/** Where one begins: at the first field; where there is none, at the way out, which does no harm. */
function startOf(box: Element): HTMLElement | null {
  return (
    box.querySelector<HTMLElement>('[data-autofocus]') ??
    box.querySelector<HTMLElement>(FIELD) ??
    box.querySelector<HTMLElement>('[data-way-out]')
  )
}

/** One dialog may stand in the place of another: the way back is still to what opened the first. */
let opener: Element | null = null
function openerNow(): Element | null {
  const active = document.activeElement
  if (active?.closest('[role=dialog]') == null) opener = active
  return opener
}

function canTakeFocus(element: Element | null): element is HTMLElement {
  return element instanceof HTMLElement && element.isConnected && !element.matches(':disabled')
}

/** Back to what opened the dialog; when that went with what was done, to the page. */
function giveBack(to: Element | null): void {
  const active = document.activeElement
  if (active !== null && active !== document.body) return
  const target = canTakeFocus(to) && to !== document.body ? to : document.getElementById('main')
  target?.focus({ preventScroll: true })
}

/**
 * For the box around a dialog's content: the focus that comes to the box goes on to where one
 * begins, also when that loads later, and again when what had it has gone.
 */
export function useDialogFocus() {
  const box = useRef<HTMLDivElement>(null)
  const [hasBegun, setBegun] = useState(false)
  const [from] = useState(openerNow)

  const begin = () => {
    const start = box.current === null ? null : startOf(box.current)
    if (start === null) return
    setBegun(true)
    start.focus({ preventScroll: true })
  }
  const beginIfNotIn = useEffectEvent(() => {
    const active = document.activeElement
    const dialog = box.current?.closest('[role=dialog]')
    if (active === box.current || dialog?.contains(active) !== true) begin()
  })

  useEffect(() => {
    const element = box.current
    if (element === null) return
    beginIfNotIn()
    const observer = new MutationObserver(beginIfNotIn)
    observer.observe(element, { childList: true, subtree: true })
    return () => {
      observer.disconnect()
      // After the page was drawn anew: what opened the dialog may have gone with what was done.
      setTimeout(() => giveBack(from))
    }
  }, [from])

  return {
    ref: box,
    // Not any more once begun: a click between the fields would come here, too.
    tabIndex: hasBegun ? undefined : -1,
    onFocus: (event: FocusEvent) => {
      if (event.target === box.current) begin()
    },
  }
}
