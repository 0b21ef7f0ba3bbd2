// SPDX-License-Identifier: MIT
import { NativeSelect } from '@mantine/core'
import { type Language, language, languages, speak } from '../languages/language.ts'
import { t } from '../languages/t.ts'

/** Each is called what it calls itself: who looks for theirs may not read this one. */
export function LanguageSelect({ onChoose = speak }: { onChoose?: (language: Language) => void }) {
  return (
    <NativeSelect
      label={t('Language')}
      value={language}
      onChange={(event) => onChoose(event.currentTarget.value as Language)}
    >
      {Object.entries(languages).map(([one, { name, tag }]) => (
        <option key={one} value={one} lang={tag}>
          {name}
        </option>
      ))}
    </NativeSelect>
  )
}
