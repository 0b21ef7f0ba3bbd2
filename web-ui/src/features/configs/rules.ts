// SPDX-License-Identifier: MIT
// What the screens of a config must know of its texts.

/** The control plane's bound. */
export const MAX_MESSAGE_LENGTH = 500

/** Lines, from 1, where the marks of a merge begin around what two people changed. */
export function conflictLines(text: string): number[] {
  if (!text.includes('<<<<<<< ')) return []
  return text.split('\n').flatMap((line, i) => (line.startsWith('<<<<<<< ') ? [i + 1] : []))
}
