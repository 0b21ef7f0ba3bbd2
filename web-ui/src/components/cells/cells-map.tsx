// SPDX-License-Identifier: MIT
// Many nodes as cells, in parts with a title each. Pointer and arrow keys go from cell to cell, and what is at them is told;
// who does not see it has the same as a table, which each screen that draws a map has beside it.
import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import classes from './cells.module.css'
import { type CellLook, CellsPicture } from './cells-picture.tsx'
import {
  cellAfter,
  columnsWithin,
  columnWidth,
  layoutOf,
  type Part,
  partsOf,
  rowsOf,
} from './cells-rules.ts'

type Props = {
  /** What it is and what keys do in it. */
  label: string
  parts: readonly { title: string | null; note?: string; nodes: number }[]
  /** Side by side where there is room, to be read from left to right; else one below the other. */
  isInColumns?: boolean
  kinds: readonly string[]
  lookOf: (kind: string) => CellLook
  /** The cell that the keyboard or the pointer is at, and what there is to say of it. */
  cursor: number | null
  told: string
  /** Told while nothing is pointed at. */
  hint: string
  onCursor: (cell: number | null) => void
  onPick: (cell: number) => void
}

export function CellsMap(given: Props) {
  const { kinds, lookOf, cursor, onCursor, onPick, told, isInColumns = false, ...props } = given
  const { ref, width } = useElementSize()
  const [isKeyed, setKeyed] = useState(false)
  const parts = partsOf(props.parts)
  const beside = isInColumns ? columnsWithin(width || 320, parts.length) : 1
  const layout =
    beside > 1
      ? layoutOf(columnWidth(width, beside), rowsOf(parts, beside))
      : layoutOf(width || 320, parts)
  const handleKey = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter' && cursor !== null) {
      event.preventDefault()
      onPick(cursor)
      return
    }
    const target = cellAfter(event.key, cursor ?? -1, kinds.length, layout.columns)
    if (target === null) return
    event.preventDefault()
    setKeyed(true)
    onCursor(target)
  }
  return (
    <div className="panel-body">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls; this groups a drawing */}
      <div
        ref={ref}
        className={classes.map}
        style={beside > 1 ? { gridTemplateColumns: `repeat(${beside}, 1fr)` } : undefined}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys go from cell to cell
        tabIndex={0}
        aria-label={props.label}
        onKeyDown={handleKey}
      >
        {parts.map((part) => (
          <figure key={part.from} className={classes.part}>
            {part.title !== null && (
              <figcaption>
                <span className={part.note === undefined ? 'dim' : undefined}>{part.title}</span>
                {part.note !== undefined && <div className="dim">{part.note}</div>}
              </figcaption>
            )}
            <CellsPicture
              kinds={kinds.slice(part.from, part.from + part.nodes)}
              lookOf={lookOf}
              layout={layout}
              marked={within(part, cursor)}
              onPoint={(cell) => {
                setKeyed(false)
                onCursor(cell === null ? null : part.from + cell)
              }}
              onPick={(cell) => onPick(part.from + cell)}
            />
          </figure>
        ))}
      </div>
      <p className={`dim ${classes.told}`}>{told || props.hint}</p>
      <div className="visually-hidden" aria-live="polite">
        {isKeyed ? told : ''}
      </div>
    </div>
  )
}

const within = ({ from, nodes }: Part, cell: number | null): number | null =>
  cell !== null && cell >= from && cell < from + nodes ? cell - from : null
