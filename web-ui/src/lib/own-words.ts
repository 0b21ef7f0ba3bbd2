// SPDX-License-Identifier: MIT
import type { ConfigError } from './api-types.ts'
import { forPeople } from './people-words.ts'

/** What a node said beyond the findings that are listed beside it: often its words are the first of them. */
export function ownWords(message: string, errors: readonly Pick<ConfigError, 'message'>[]): string {
  return errors.some((error) => message.endsWith(error.message)) ? '' : forPeople(message)
}
