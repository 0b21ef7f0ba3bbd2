// SPDX-License-Identifier: MIT
// What the sites of the draft have on a node that they did not have before.
import { t } from '../../../languages/t.ts'
import type { Import } from '../../../lib/api-types.ts'
import classes from './import.module.css'

export const Gains = ({ gains }: Pick<Import, 'gains'>) => (
  <details className={classes.text} open>
    <summary>{t('What you gain')}</summary>
    <ul className={classes.gains}>
      {gains.map(({ code, text }) => (
        <li key={code} lang="en">
          {text}
        </li>
      ))}
    </ul>
  </details>
)
