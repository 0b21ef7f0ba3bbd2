// SPDX-License-Identifier: MIT
// The keys of the whole console, as one table: what is pressed, what it does, and so what "?" shows. Pure.

import { t } from '../../languages/t.ts'

export type Doing = { kind: 'find' } | { kind: 'keys' } | { kind: 'go'; to: string }
export type Shortcut = { keys: readonly string[]; says: string; does: Doing }

const go = (letter: string, to: string, says: string): Shortcut => ({
  ...{ keys: ['g', letter], says: t('Go to {says}', { says }), does: { kind: 'go', to } },
})

/** Pressed one after the other, where nothing is typed into. */
export const shortcuts: readonly Shortcut[] = [
  { keys: ['/'], says: t('Find anything'), does: { kind: 'find' } },
  { keys: ['?'], says: t('Show these keys'), does: { kind: 'keys' } },
  go('o', '/', t('the overview')),
  go('n', '/nodes', t('the nodes')),
  go('g', '/groups', t('the groups')),
  go('m', '/measurements', t('the measurements')),
  go('c', '/configs', t('the configs')),
  go('r', '/rollouts', t('the rollouts')),
  go('a', '/alerts', t('the alerts')),
  go('h', '/audit', t('the history')),
  go('s', '/settings', t('the settings')),
]

/** What else works, told beside them. */
export const elsewhere: readonly { keys: string; says: string }[] = [
  { keys: t('Tab'), says: t('To the next field, link or button; with Shift back') },
  { keys: t('Enter'), says: t('Opens or does what has the focus') },
  { keys: t('Esc'), says: t('Closes a dialog or a menu, and changes nothing') },
  { keys: t('Space'), says: t('Selects the row of the nodes whose box has the focus') },
  { keys: '← →', says: t('In a chart or on the map: to the next moment or node') },
  { keys: t('Ctrl or ⌘ + Enter'), says: t('Sends a form from a field of several lines') },
  { keys: t('Esc, then Tab'), says: t('Leaves the text editor; Tab alone indents there') },
]

export type Stroke = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey'>

/** On a Mac Ctrl+K is the system's, and ends a line. */
export const isFindEverywhere = (stroke: Stroke, isMac: boolean) => {
  const { ctrlKey, metaKey, altKey } = stroke
  return isK(stroke) && !altKey && (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey)
}

/** Where letters are not Latin, the key that has a k elsewhere. */
const isK = ({ key, code }: Stroke) =>
  key.toLowerCase() === 'k' || (code === 'KeyK' && /^[^ -~]$/.test(key))

/** What the keys up to now do, whether another may follow, or that nothing begins so. */
export function readKeys(pressed: readonly string[]): Doing | 'begun' | null {
  const whole = shortcuts.find(({ keys }) => keys.join() === pressed.join())
  if (whole) return whole.does
  const isBeginning = shortcuts.some(({ keys }) => keys[0] === pressed[0] && pressed.length === 1)
  return isBeginning ? 'begun' : null
}
