// SPDX-License-Identifier: MIT

import { Button, FileButton, Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { SearchSelect } from '../../components/search-select.tsx'
import { t } from '../../languages/t.ts'
import { configsQuery } from './api.ts'

const TYPING_MS = 250

export type Copied = { name: string; version: number }
type CopyProps = { copied: Copied | null; onChange: (copied: Copied) => void }

export function CopyField({ copied, onChange }: CopyProps) {
  const [typed, setTyped] = useState('')
  const [part] = useDebouncedValue(typed, TYPING_MS)
  const found = useInfiniteQuery(configsQuery(part)).data?.pages[0]?.items ?? []
  const saved = found.flatMap(({ name, latestVersion }) =>
    latestVersion === null ? [] : [{ name, version: latestVersion }],
  )
  return (
    <SearchSelect
      label={t('Config')}
      description={t('Its newest version is copied')}
      value={copied === null ? { value: '', label: t('Choose a config') } : choiceOf(copied)}
      choices={saved.map(choiceOf)}
      onSearch={setTyped}
      onChange={(name) => {
        const chosen = saved.find((one) => one.name === name)
        if (chosen) onChange(chosen)
      }}
      none={t('No config of that name')}
    />
  )
}

const choiceOf = ({ name, version }: Copied) => ({ value: name, label: `${name} v${version}` })

export function TextField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const read = (file: File | null) => {
    if (file) void file.text().then(onChange)
  }
  return (
    <div className="stack-tight">
      <Textarea
        label={t('Text')}
        description={t(
          'JSON, with comments if you like: pasted, or read from a file of this computer',
        )}
        autosize
        minRows={6}
        maxRows={14}
        spellCheck={false}
        autoComplete="off"
        styles={{ input: { fontFamily: 'var(--fs-mono)' } }}
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <div>
        <FileButton onChange={read} accept=".json,.jsonc,.txt">
          {(props) => (
            <Button {...props} variant="default" size="xs">
              {t('Choose a file')}
            </Button>
          )}
        </FileButton>
      </div>
    </div>
  )
}
