// SPDX-License-Identifier: MIT
// Numbers that are read from across the room: each large, with its name above and what it rests on below.
import classes from './figures.module.css'
import type { Tone } from './status-badge.tsx'

export type Figure = {
  name: string
  value: React.ReactNode
  /** What it rests on, or what is normal: "18,203 requests, 5 min". */
  detail?: React.ReactNode
  /** Only what asks for somebody has a colour. */
  tone?: Extract<Tone, 'warn' | 'bad'> | undefined
}

type Props = { figures: readonly Figure[]; size?: 'large' | 'small' }

export function Figures({ figures, size = 'large' }: Props) {
  return (
    <dl className={classes.figures} data-size={size}>
      {figures.map(({ name, value, detail, tone }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={classes.value} data-tone={tone}>
            {value}
          </dd>
          {detail !== undefined && <dd className="dim">{detail}</dd>}
        </div>
      ))}
    </dl>
  )
}
