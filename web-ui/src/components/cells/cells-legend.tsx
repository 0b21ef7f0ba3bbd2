// SPDX-License-Identifier: MIT
import { t } from '../../languages/t.ts'
import { formatCount } from '../../lib/format.ts'
import classes from './cells-legend.module.css'
import type { CellLook } from './cells-picture.tsx'

type Props = {
  /** Of all cells. */
  kinds: readonly string[]
  lookOf: (kind: string) => CellLook
  entries: readonly { kind: string; label: string }[]
}

/** What each shape and colour stands for, and how many nodes have it; what none has is left out. */
export function CellsLegend({ kinds, lookOf, entries }: Props) {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return (
    <ul className={classes.legend} aria-label={t('What the cells stand for')}>
      {entries
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
