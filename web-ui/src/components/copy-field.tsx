// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { t } from '../languages/t.ts'
import classes from './copy-field.module.css'

type Copied = 'no' | 'yes' | 'by-hand'

/** Text to take elsewhere. Without the clipboard (plain HTTP) it is selected, ready for Ctrl-C. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const [copied, setCopied] = useState<Copied>('no')
  const code = useRef<HTMLElement>(null)
  const select = () => {
    if (code.current !== null) window.getSelection()?.selectAllChildren(code.current)
    setCopied('by-hand')
  }
  const copy = () => {
    if (!('clipboard' in navigator)) return select()
    navigator.clipboard.writeText(value).then(() => setCopied('yes'), select)
  }
  return (
    <div>
      <div className={classes.label}>{label}</div>
      <div className={classes.field}>
        <code ref={code}>{value}</code>
        <Button variant="default" size="xs" onClick={copy}>
          {copied === 'yes' ? t('Copied') : t('Copy')}
        </Button>
      </div>
      <div role="status" className={copied === 'by-hand' ? 'dim' : 'visually-hidden'}>
        {copied === 'yes' && t('{label}: copied', { label })}
        {copied === 'by-hand' && t('Selected: press Ctrl+C or ⌘C to copy.')}
      </div>
    </div>
  )
}
