// SPDX-License-Identifier: MIT

import { Checkbox } from '@mantine/core'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { t } from '../../languages/t.ts'
import classes from './keys.module.css'
import { elsewhere, shortcuts } from './keys.ts'
import { isMac, useSingleKeys } from './use-keys.ts'

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const [hasSingleKeys, setSingleKeys] = useSingleKeys()
  return (
    <Dialog title={t('Keyboard shortcuts')} size="lg" onClose={onClose}>
      <div className="stack">
        <dl className={classes.keys}>
          <Line keys={<Keys all={[isMac() ? '⌘' : 'Ctrl', 'K']} between="+" />}>
            {t('Find anything, from everywhere')}
          </Line>
          {shortcuts.map(({ keys, says }) => (
            <Line key={says} keys={<Keys all={keys} between={t('then')} />}>
              {says}
            </Line>
          ))}
        </dl>
        <Checkbox
          label={t('Single keys')}
          description={t(
            'Turn them off if you speak to your machine, or press keys by accident. Ctrl or ⌘ with K still finds.',
          )}
          checked={hasSingleKeys}
          onChange={({ currentTarget: { checked } }) => setSingleKeys(checked)}
        />
        <h3>{t('Everywhere')}</h3>
        <dl className={classes.keys}>
          {elsewhere.map(({ keys, says }) => (
            <Line key={keys} keys={<kbd>{keys}</kbd>}>
              {says}
            </Line>
          ))}
        </dl>
        <DialogActions leave={t('Close')} />
      </div>
    </Dialog>
  )
}

function Line({ keys, children }: { keys: React.ReactNode; children: React.ReactNode }) {
  return (
    <div>
      <dt>{keys}</dt>
      <dd>{children}</dd>
    </div>
  )
}

const Keys = ({ all, between }: { all: readonly string[]; between: string }) =>
  all.map((key, i) => (
    <span key={key + String(i)}>
      {i > 0 && ` ${between} `}
      <kbd>{key}</kbd>
    </span>
  ))
