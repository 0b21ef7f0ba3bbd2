// SPDX-License-Identifier: MIT

import { t } from '../languages/t.ts'

type Parsed = { ok: true; mergePatch: Record<string, unknown> } | { ok: false; message: string }

export function parseOverride(text: string): Parsed {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : t('This is not JSON.') }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, message: t("An override is an object: '{' '}' changes nothing.") }
  }
  return { ok: true, mergePatch: { ...value } }
}
