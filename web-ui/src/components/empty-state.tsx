// SPDX-License-Identifier: MIT
import classes from './empty-state.module.css'

export type EmptyStateProps = { title: string; children: React.ReactNode; action?: React.ReactNode }

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      <h2>{title}</h2>
      <div className="dim">{children}</div>
      {action !== undefined && <div className={classes.action}>{action}</div>}
    </div>
  )
}
