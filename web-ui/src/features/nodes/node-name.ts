// SPDX-License-Identifier: MIT

import { t } from '../../languages/t.ts'

const NODE_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/
const MAX_NAME_LENGTH = 63

/** What is wrong with it as a node's name; null: nothing. */
export function nameTrouble(name: string): string | null {
  if (name === '') return t('A node needs a name.')
  if (name.length > MAX_NAME_LENGTH) {
    return t('It has {name} characters; {maxNameLength} fit.', {
      name: name.length,
      maxNameLength: MAX_NAME_LENGTH,
    })
  }
  return NODE_NAME.test(name)
    ? null
    : t('Use a–z, 0–9, dots and dashes; begin and end with a letter or digit.')
}
