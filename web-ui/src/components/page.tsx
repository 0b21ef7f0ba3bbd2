// SPDX-License-Identifier: MIT
import { useEffect } from 'react'
import classes from './page.module.css'

export type PageProps = {
  title: string
  /** Under the title: what this is, in a line. */
  meta?: React.ReactNode
  actions?: React.ReactNode
  children: React.ReactNode
}

export function Page({ title, meta, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Farmstead`
  }, [title])
  return (
    <div className="stack">
      <div className={classes.head}>
        <div className={classes.titles}>
          <h1>{title}</h1>
          {meta !== undefined && <div className={classes.meta}>{meta}</div>}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  )
}
