// SPDX-License-Identifier: MIT
import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useEffectEvent, useRef } from 'react'
import { type Doing, isFindEverywhere, readKeys } from './keys.ts'

/** Long enough for two fingers, short enough that a stray g is forgotten. */
const NEXT_KEY_WITHIN_MS = 1500

export const isMac = () => /mac|iphone|ipad/i.test(navigator.userAgent)

/** Who speaks to the machine, or leans on a key, can turn them off (WCAG 2.1.4). */
export const useSingleKeys = () =>
  useLocalStorage<boolean>({ key: 'farmstead.single-keys', defaultValue: true })

const TYPED_INTO =
  'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]:not([contenteditable=false]), [role=textbox]'

/** Pressed alone, and in no field. */
function isLetter({ target, key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isTyping = target instanceof Element && target.closest(TYPED_INTO) !== null
  return !isTyping && !ctrlKey && !metaKey && !altKey && key.length === 1
}

/** What is open asks for keys of its own. */
const isBusy = () => document.querySelector('[role=dialog]') !== null

type Heard = {
  onKeys: (doing: Doing) => void
  /** Takes letters for a field that is being opened; null: none is. */
  onAhead: ((key: string) => void) | null
}

export function useKeys({ onKeys, onAhead }: Heard): void {
  const [hasSingleKeys] = useSingleKeys()
  const pressed = useRef<{ keys: string[]; atMs: number }>({ keys: [], atMs: 0 })
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    if (onAhead !== null && isLetter(event)) {
      event.preventDefault()
      onAhead(event.key)
      return
    }
    // A key that is held down is pressed once: g, leaned on, is no "g g".
    if (event.repeat || isBusy()) return
    if (isFindEverywhere(event, isMac())) {
      event.preventDefault()
      onKeys({ kind: 'find' })
      return
    }
    if (!hasSingleKeys || !isLetter(event)) return
    const isNext = event.timeStamp - pressed.current.atMs <= NEXT_KEY_WITHIN_MS
    const keys = [...(isNext ? pressed.current.keys : []), event.key]
    const doing = readKeys(keys)
    pressed.current = { keys: doing === 'begun' ? keys : [], atMs: event.timeStamp }
    if (doing === null || doing === 'begun') return
    event.preventDefault()
    onKeys(doing)
  })
  useEffect(() => {
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [])
}
