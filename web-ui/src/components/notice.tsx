// SPDX-License-Identifier: MIT
import classes from './notice.module.css'
import { type Shape, StatusMark, type Tone } from './status-badge.tsx'

const shapes: Record<Tone, Shape> = {
  good: 'disc',
  info: 'ring',
  warn: 'triangle',
  bad: 'square',
  idle: 'ring',
}

export type NoticeProps = {
  tone: Tone
  title: string
  children?: React.ReactNode
  action?: React.ReactNode
  /** Read out when it appears: for what the reader did not just ask for. */
  live?: boolean
}

export function Notice({ tone, title, children, action, live }: NoticeProps) {
  return (
    <div
      className={classes.notice}
      data-tone={tone}
      role={tone === 'bad' ? 'alert' : live ? 'status' : undefined}
    >
      <span className={classes.mark}>
        <StatusMark tone={tone} shape={shapes[tone]} />
      </span>
      <div className={classes.text}>
        <strong>{title}</strong>
        {children !== undefined && <div>{children}</div>}
      </div>
      {action !== undefined && <div className={classes.action}>{action}</div>}
    </div>
  )
}
