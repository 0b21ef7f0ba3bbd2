// SPDX-License-Identifier: MIT

import { CopyField } from '../../components/copy-field.tsx'
import { t } from '../../languages/t.ts'

/** Files come from where they were built, so this page only says how. */
export const PushCommand = ({ name }: { name: string }) => (
  <CopyField
    label={t('Command')}
    value={t('farmctl releases push {name} public/ -m "why"', { name })}
  />
)
