// SPDX-License-Identifier: MIT
import { useEffect } from 'react'
import classes from './page.module.css'

export type PageProps = {
  title: string
  /** Under the title: what this is, in a line. */
  meta?: React.ReactNode
  actions?: React.ReactNode
  /** full: to compare in, as wide as the window. list: a table of few columns. text: to read and to fill in. */
  width?: 'full' | 'list' | 'text'
  children: React.ReactNode
}

export function Page({ title, meta, actions, width = 'full', children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Farmstead`
  }, [title])
  return (
    <div className={classes.page} data-width={width}>
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
