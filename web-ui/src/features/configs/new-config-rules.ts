// SPDX-License-Identifier: MIT
// What a config may begin with.

import { t } from '../../languages/t.ts'

export type Start = 'smallest' | 'copy' | 'text'
export const starts: { value: Start; label: string }[] = [
  { value: 'smallest', label: t('One folder') },
  { value: 'copy', label: t('Copy of a config') },
  { value: 'text', label: t('A file of yours') },
]

/** Serves the files of a folder to every host; all else is as by default. */
export const smallestConfig = (folder: string): string =>
  `{
  "sites": [
    {
      "hosts": ["*"],
      "root": ${JSON.stringify(folder)}
    }
  ]
}
`

const NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/
type Given = { name: string; start: Start; folder: string; text: string }

/** Why a config can't be called so, or null. */
export function whyNotName(name: string): string | null {
  if (name === '') return t('Give it a name first.')
  return NAME.test(name)
    ? null
    : t(
        'A name has small letters, digits, dots and hyphens, and begins and ends with a letter or a digit.',
      )
}

/** Why it can't be made yet, or null. */
export function whyNotCreate({ name, start, folder, text }: Given): string | null {
  const wrongName = whyNotName(name)
  if (wrongName !== null) return wrongName
  if (start === 'smallest') {
    if (folder.trim() === '') return t('Say which folder it serves.')
    return folder.trim().startsWith('/') ? null : t('The folder begins with “/”: its whole path.')
  }
  if (text !== '') return null
  return start === 'copy' ? t('Choose the config to copy.') : t('Choose a file, or paste its text.')
}
