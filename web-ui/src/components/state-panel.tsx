// SPDX-License-Identifier: MIT
// The one panel of a page that says how its thing stands: it weighs more than all others, in the colour of what it says,
// with the next step in it.
import classes from './state-panel.module.css'
import { StatusMark, type Verdict } from './status-badge.tsx'

type Props = {
  /** Of what, as in "State of the rollout". */
  label: string
  verdict: Verdict
  /** What an end of the first line has to say in numbers: "3 of 9 nodes". */
  progress?: React.ReactNode
  /** What one may do now; the recommended first, and it alone filled. */
  actions?: React.ReactNode
  children?: React.ReactNode
}

export function StatePanel({ label, verdict, progress, actions, children }: Props) {
  return (
    <section className={classes.panel} data-tone={verdict.tone} aria-label={label}>
      <div className={classes.head} role="status">
        <span className={classes.state}>
          <StatusMark tone={verdict.tone} shape={verdict.shape} />
          {verdict.label}
        </span>
        {progress !== undefined && <span className={classes.progress}>{progress}</span>}
      </div>
      {children}
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </section>
  )
}
