// SPDX-License-Identifier: MIT
// In what two answers to one URL differ, side by side.
import { t } from '../../languages/t.ts'
import { ScrollBox } from '../scroll-box.tsx'
import classes from './explained.module.css'
import type { Difference } from './explained-words.ts'

type Props = { url: string; items: readonly Difference[] }

export const DifferenceTable = ({ url, items }: Props) => (
  <ScrollBox label={t('What changes for {url}', { url })}>
    <table className="grid">
      <thead>
        <tr>
          <th scope="col">{t('What')}</th>
          <th scope="col">{t('Now')}</th>
          <th scope="col">{t('With this text')}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ what, before, after }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>
              <Value text={before} isGone />
            </td>
            <td>
              <Value text={after} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollBox>
)

const Value = ({ text, isGone = false }: { text: string; isGone?: boolean }) =>
  text === '' ? (
    <span className={classes.none}>{t('none')}</span>
  ) : (
    <span className={isGone ? classes.before : classes.value}>{text}</span>
  )
