// SPDX-License-Identifier: MIT
import classes from './status-badge.module.css'

export type Tone = 'good' | 'info' | 'warn' | 'bad' | 'idle'
/** Each shape means one thing, so that a status can be told without colour. */
export type Shape = 'disc' | 'half' | 'square' | 'diamond' | 'ring' | 'triangle'
export type Verdict = { label: string; tone: Tone; shape: Shape }

const paths: Record<Shape, React.ReactNode> = {
  disc: <circle cx="6" cy="6" r="5" fill="currentColor" />,
  half: (
    <>
      <circle cx="6" cy="6" r="4.2" fill="none" stroke="currentColor" strokeWidth="1.6" />
      <path d="M6 1.8a4.2 4.2 0 0 1 0 8.4z" fill="currentColor" />
    </>
  ),
  square: <rect x="1.5" y="1.5" width="9" height="9" fill="currentColor" />,
  diamond: <path d="M6 .5 11.5 6 6 11.5.5 6z" fill="currentColor" />,
  ring: <circle cx="6" cy="6" r="4.2" fill="none" stroke="currentColor" strokeWidth="1.6" />,
  triangle: <path d="M6 1 11.5 11H.5z" fill="currentColor" />,
}

export function StatusMark({ tone, shape }: { tone: Tone; shape: Shape }) {
  return (
    <svg className={classes.mark} data-tone={tone} viewBox="0 0 12 12" aria-hidden="true">
      {paths[shape]}
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
