// SPDX-License-Identifier: MIT
import type { CellLook } from '../../../components/cells/cells-picture.tsx'
import { formatCount } from '../../../lib/format.ts'
import { syncStates, syncVerdict } from '../rules.ts'
import classes from './map.module.css'
import { levelOf, NOTHING } from './map-rules.ts'

type Props = {
  kinds: readonly string[]
  lookOf: (kind: string) => CellLook
  /** Of the levels of a measurement; null: it is about states, or nothing was measured. */
  bounds: readonly number[] | null
  format: (value: number | null) => string
  isMeasured: boolean
}

/** What each shape and colour stands for, and how many nodes have it. */
export function MapLegend({ kinds, lookOf, bounds, format, isMeasured }: Props) {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const levels = (bounds ?? []).map((bound) => ({
    kind: levelOf(bound, bounds ?? []),
    label: `up to ${format(bound)}`,
  }))
  const all = isMeasured
    ? [...levels, { kind: NOTHING, label: 'nothing measured' }]
    : syncStates.map((state) => ({ kind: state, label: syncVerdict[state].label }))
  return (
    <ul className={classes.legend} aria-label="What the cells stand for">
      {all
        .filter(({ kind }) => counts.has(kind))
        .map(({ kind, label }) => {
          const { colour, paths } = lookOf(kind)
          return (
            <li key={kind}>
              <svg viewBox="0 0 12 12" aria-hidden="true" style={{ color: `var(${colour})` }}>
                {paths.line && (
                  <path d={paths.line} fill="none" stroke="currentColor" strokeWidth="1.8" />
                )}
                {paths.fill && <path d={paths.fill} fill="currentColor" />}
              </svg>
              {label}
              <span className="dim">{formatCount(counts.get(kind) ?? 0)}</span>
            </li>
          )
        })}
    </ul>
  )
}
