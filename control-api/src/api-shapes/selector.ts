// SPDX-License-Identifier: MIT
// Selectors that somebody wrote into a request.
import { parseSelector, type Selector } from '../labels/selector.ts'
import { SelectorInvalid } from './errors.ts'

export function readSelector(text: string): Selector {
  const parsed = parseSelector(text)
  if (!parsed.ok) throw new SelectorInvalid(parsed.column, parsed.message)
  return parsed.selector
}
