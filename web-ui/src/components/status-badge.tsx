// SPDX-License-Identifier: MIT
import classes from './status-badge.module.css'

export type Tone = 'good' | 'info' | 'warn' | 'bad' | 'idle'
/** Each shape means one thing, so that a status can be told without colour. */
export type Shape = 'disc' | 'half' | 'square' | 'diamond' | 'ring' | 'triangle'
export type Verdict = { label: string; tone: Tone; shape: Shape }

const DISC = 'M1 6a5 5 0 1 0 10 0a5 5 0 1 0-10 0z'
const RING = 'M1.8 6a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0-8.4 0z'
/** Of a box of 12 by 12: what is filled, and what is drawn as a line of 1.6. */
export type ShapePaths = { fill?: string; line?: string }
export const shapePaths: Record<Shape, ShapePaths> = {
  disc: { fill: DISC },
  half: { line: RING, fill: 'M6 1.8a4.2 4.2 0 0 1 0 8.4z' },
  square: { fill: 'M1.5 1.5h9v9h-9z' },
  diamond: { fill: 'M6 .5 11.5 6 6 11.5.5 6z' },
  ring: { line: RING },
  triangle: { fill: 'M6 1 11.5 11H.5z' },
}

export function StatusMark({ tone, shape }: { tone: Tone; shape: Shape }) {
  const { fill, line } = shapePaths[shape]
  return (
    <svg className={classes.mark} data-tone={tone} viewBox="0 0 12 12" aria-hidden="true">
      {line && <path d={line} fill="none" stroke="currentColor" strokeWidth="1.6" />}
      {fill && <path d={fill} fill="currentColor" />}
    </svg>
  )
}

/** A mark with its word in plain text colour: where many stand side by side. */
export function MarkedText({
  verdict,
  children,
}: {
  verdict: Omit<Verdict, 'label'>
  children: React.ReactNode
}) {
  return (
    <span className={classes.marked}>
      <StatusMark tone={verdict.tone} shape={verdict.shape} />
      <span>{children}</span>
    </span>
  )
}

export function StatusBadge({ verdict }: { verdict: Verdict }) {
  return (
    <span className={classes.badge} data-tone={verdict.tone}>
      <StatusMark tone={verdict.tone} shape={verdict.shape} />
      {verdict.label}
    </span>
  )
}
