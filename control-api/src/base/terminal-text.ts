// SPDX-License-Identifier: MIT
// Names, messages, logs and configs are others' words. What in them would steer a terminal (colours, titles, the
// clipboard, earlier lines written over) or turn the reading order round is shown as what it is.

/** C0 but for tab and line feed, DEL, C1, and what sets the direction or breaks a line unseen. */
const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** As JSON writes them, so that a JSON text still says the same. */
export const visible = (text: string): string =>
  text.replaceAll(STEERING, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape is what makes it one.
const COLOUR = /\u001b\[[0-9;]{1,8}m/g

/** `own`: the colours that are ours, and stay. */
export function visibleButFor(text: string, own: ReadonlySet<string>): string {
  let from = 0
  let shown = ''
  for (const { 0: colour, index } of text.matchAll(COLOUR)) {
    if (!own.has(colour)) continue
    shown += visible(text.slice(from, index)) + colour
    from = index + colour.length
  }
  return shown + visible(text.slice(from))
}

/** Secrets of ours, wherever a message may quote one. */
export const withoutSecrets = (text: string): string =>
  text
    .replaceAll(/\b(fs[a-z]_)[\w-]{8,}/g, '$1…')
    .replaceAll(/(Bearer )\S+/gi, '$1…')
    .replaceAll(/(farmstead_session=)[^;\s"]+/g, '$1…')
