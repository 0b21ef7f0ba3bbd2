// SPDX-License-Identifier: MIT
import classes from './tab-bar.module.css'

/** Links between the pages of one thing; the router marks the one that is open. */
export function TabBar({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <nav aria-label={label} className={classes.tabs}>
      {children}
    </nav>
  )
}
