// SPDX-License-Identifier: MIT
import classes from './chart.module.css'
import type { Mark } from './types.ts'

/** As charts have it at the top of a mark's line. */
export function MarkFlag({ kind = 'rollout' }: Pick<Mark, 'kind'>) {
  return <span className={classes.flag} data-kind={kind} aria-hidden="true" />
}
