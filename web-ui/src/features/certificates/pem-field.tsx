// SPDX-License-Identifier: MIT

import { Button, FileButton, Textarea } from '@mantine/core'
import { inSentence, t } from '../../languages/t.ts'
import classes from './certificates.module.css'

type Props = {
  label: string
  description: string
  value: string
  trouble: readonly string[]
  onChange: (value: string) => void
}

/** A PEM text, pasted or read from a file of this computer. */
export function PemField({ label, description, value, trouble, onChange }: Props) {
  const read = (file: File | null) => {
    if (file) void file.text().then(onChange)
  }
  return (
    <div className={classes.pem}>
      <Textarea
        label={label}
        description={description}
        placeholder={t('-----BEGIN …-----')}
        autosize
        minRows={4}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        styles={{ input: { fontFamily: 'var(--fs-mono)' } }}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={
          trouble.length === 0
            ? null
            : trouble.map((one) => (
                <span key={one} className={classes.trouble}>
                  {one}
                </span>
              ))
        }
      />
      <FileButton onChange={read} accept=".pem,.crt,.cer,.key,.txt">
        {(props) => (
          <Button {...props} variant="default" size="xs">
            {t('Choose a file: {label}', { label: inSentence(label) })}
          </Button>
        )}
      </FileButton>
    </div>
  )
}
