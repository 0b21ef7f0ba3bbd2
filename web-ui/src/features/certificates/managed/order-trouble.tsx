// SPDX-License-Identifier: MIT
import type { ManagedCertificate } from '../../../lib/api-types.ts'
import classes from './managed.module.css'
import { adviceFor } from './rules.ts'

type Props = { error: string; challenge: ManagedCertificate['challenge'] }

/** What went wrong, in full, and what to do about it. */
export function OrderTrouble({ error, challenge }: Props) {
  return (
    <div className="stack-tight">
      <p className={classes.message}>{error}</p>
      <p>{adviceFor(error, challenge)}</p>
    </div>
  )
}
