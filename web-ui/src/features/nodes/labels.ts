// SPDX-License-Identifier: MIT

import { t } from '../../languages/t.ts'

type Parsed = { ok: true; labels: Record<string, string> } | { ok: false; message: string }

const LABEL_KEY = /^[a-z][a-z0-9_.-]{0,62}$/
const MAX_VALUE_LENGTH = 128
const MAX_LABELS = 32

/** "rack=b2 site=fra", separated by spaces or commas. */
export function parseLabels(text: string): Parsed {
  const labels: Record<string, string> = {}
  for (const word of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const at = word.indexOf('=')
    if (at < 1) return { ok: false, message: t('"{word}" is not of the form key=value.', { word }) }
    const key = word.slice(0, at)
    const value = word.slice(at + 1)
    if (!LABEL_KEY.test(key)) {
      return {
        ok: false,
        message: t(
          '"{name}" must begin with a–z and hold only a–z, 0–9, dot, dash and underscore.',
          { name: key },
        ),
      }
    }
    if (value.length > MAX_VALUE_LENGTH) {
      return {
        ok: false,
        message: t('The value of "{name}" is longer than {maxValueLength} characters.', {
          name: key,
          maxValueLength: MAX_VALUE_LENGTH,
        }),
      }
    }
    labels[key] = value
  }
  const count = Object.keys(labels).length
  if (count > MAX_LABELS) {
    return {
      ok: false,
      message: t('These are {count} labels; a node has at most {maxLabels}.', {
        count,
        maxLabels: MAX_LABELS,
      }),
    }
  }
  return { ok: true, labels }
}

export function labelsText(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')
}

/** A value with a space or comma in it, as the API allows, cannot be written as one word here. */
export function canWriteLabels(labels: Record<string, string>): boolean {
  return Object.values(labels).every((value) => !/[\s,]/.test(value))
}
