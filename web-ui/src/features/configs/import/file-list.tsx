// SPDX-License-Identifier: MIT

import { Button, Checkbox } from '@mantine/core'
import { type Column, LongTable } from '../../../components/long-table.tsx'
import { t } from '../../../languages/t.ts'
import type { KnownImports } from '../../../lib/api-types.ts'
import { formatCount } from '../../../lib/format.ts'
import type { OpenFile } from './file-dialog.tsx'
import classes from './import.module.css'
import { type GivenFile, type ImportInput, settled, withoutFile } from './input.ts'

type Props = {
  known: KnownImports
  input: ImportInput
  onChange: (input: ImportInput) => void
  onOpen: (file: OpenFile) => void
}

const columns: Column[] = [
  { title: t('Begins with') },
  { title: t('Characters'), className: 'num wide-only' },
  { title: t('What can be done'), isTitleHidden: true },
]
const keyOf = ({ name }: GivenFile) => name

export function FileList({ known, input, onChange, onOpen }: Props) {
  const { main } = settled(input, known)
  const mark = (name: string, isMain: boolean) =>
    onChange({
      ...input,
      main: isMain ? [...main, name].toSorted() : main.filter((one) => one !== name),
    })
  return (
    <LongTable
      label={t('Files of the config, table')}
      columns={columns}
      rows={input.files}
      keyOf={keyOf}
    >
      {(file) => (
        <>
          <td className={classes.wrapping}>
            <Checkbox
              label={<code>{file.name}</code>}
              checked={main.includes(file.name)}
              onChange={({ currentTarget }) => mark(file.name, currentTarget.checked)}
            />
          </td>
          <td className="num wide-only">{formatCount(file.text.length)}</td>
          <td className={classes.actions}>
            <Button
              size="compact-xs"
              variant="subtle"
              aria-label={t('Open {name}', { name: file.name })}
              onClick={() => onOpen(file)}
            >
              {t('Open')}
            </Button>
            <Button
              size="compact-xs"
              variant="subtle"
              aria-label={t('Remove {name}', { name: file.name })}
              onClick={() => onChange(withoutFile(input, file.name))}
            >
              {t('Remove')}
            </Button>
          </td>
        </>
      )}
    </LongTable>
  )
}
