// SPDX-License-Identifier: MIT
// The keys of the whole console, as one table: what is pressed, what it does, and so what "?" shows. Pure.

export type Doing = { kind: 'find' } | { kind: 'keys' } | { kind: 'go'; to: string }
export type Shortcut = { keys: readonly string[]; says: string; does: Doing }

const go = (letter: string, to: string, says: string): Shortcut => ({
  ...{ keys: ['g', letter], says: `Go to ${says}`, does: { kind: 'go', to } },
})

/** Pressed one after the other, where nothing is typed into. */
export const shortcuts: readonly Shortcut[] = [
  { keys: ['/'], says: 'Find anything', does: { kind: 'find' } },
  { keys: ['?'], says: 'Show these keys', does: { kind: 'keys' } },
  go('o', '/', 'the overview'),
  go('n', '/nodes', 'the nodes'),
  go('g', '/groups', 'the groups'),
  go('m', '/measurements', 'the measurements'),
  go('c', '/configs', 'the configs'),
  go('r', '/rollouts', 'the rollouts'),
  go('a', '/alerts', 'the alerts'),
  go('h', '/audit', 'the history'),
  go('s', '/settings', 'the settings'),
]

/** What else works, told beside them. */
export const elsewhere: readonly { keys: string; says: string }[] = [
  { keys: 'Tab', says: 'To the next field, link or button; with Shift back' },
  { keys: 'Enter', says: 'Opens or does what has the focus' },
  { keys: 'Esc', says: 'Closes a dialog or a menu, and changes nothing' },
  { keys: 'Space', says: 'Selects the row of the nodes whose box has the focus' },
  { keys: '← →', says: 'In a chart or on the map: to the next moment or node' },
  { keys: 'Ctrl or ⌘ + Enter', says: 'Sends a form from a field of several lines' },
  { keys: 'Esc, then Tab', says: 'Leaves the text editor; Tab alone indents there' },
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
