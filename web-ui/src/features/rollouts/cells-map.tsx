// SPDX-License-Identifier: MIT
// Every node of a rollout as a cell, wave by wave. Who does not see it has the same in numbers: the counts beside it, the table
// of waves, and the rows below.
import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import { plural } from '../../lib/format.ts'
import type { Cells } from './api.ts'
import classes from './cells.module.css'
import { CellsPicture } from './cells-picture.tsx'
import { cellAfter, layoutOf, type Part, partOf, partsOf } from './cells-rules.ts'
import { standingVerdict } from './rules.ts'

type Props = { cells: Cells; onPick: (nodeName: string) => void }

export function CellsMap({ cells, onPick }: Props) {
  const { ref, width } = useElementSize()
  const [cursor, setCursor] = useState<number | null>(null)
  const [isKeyed, setKeyed] = useState(false)
  const { names } = cells
  const parts = partsOf(cells.waves)
  const layout = layoutOf(width || 320, cells.waves)
  const states = cells.cells.map((place) => cells.states[place] ?? 'pending')
  const pick = (cell: number) => {
    const name = names[cell]
    if (name !== undefined) onPick(name)
  }
  const handleKey = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter' && cursor !== null) {
      event.preventDefault()
      pick(cursor)
      return
    }
    const here = cursor ?? -1
    const target = cellAfter(event.key, here, names.length, layout.columns)
    if (target === null) return
    event.preventDefault()
    setKeyed(true)
    setCursor(target)
  }
  const told = cursor === null ? '' : tellCell(cells, parts, cursor)
  return (
    <div className="panel-body">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls; this groups a drawing */}
      <div
        ref={ref}
        className={classes.map}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys go from cell to cell
        tabIndex={0}
        aria-label={`Map of ${plural(names.length, 'node')}. Arrow keys go from node to node, Enter shows one in the table below, which holds the same.`}
        onKeyDown={handleKey}
      >
        {parts.map((part) => (
          <figure key={part.index} className={classes.part}>
            {parts.length > 1 && (
              <figcaption className="dim">
                Wave {part.index + 1}: {plural(part.nodes, 'node')}
              </figcaption>
            )}
            <CellsPicture
              states={states.slice(part.from, part.from + part.nodes)}
              layout={layout}
              marked={within(part, cursor)}
              onPoint={(cell) => {
                setKeyed(false)
                setCursor(cell === null ? null : part.from + cell)
              }}
              onPick={(cell) => pick(part.from + cell)}
            />
          </figure>
        ))}
      </div>
      <p className={`dim ${classes.told}`}>
        {told || 'Each cell is a node. Point at one for its name; a click shows it in the table.'}
      </p>
      <div className="visually-hidden" aria-live="polite">
        {isKeyed ? told : ''}
      </div>
    </div>
  )
}

function within({ from, nodes }: Part, cell: number | null): number | null {
  return cell !== null && cell >= from && cell < from + nodes ? cell - from : null
}

function tellCell({ names, states, cells }: Cells, parts: readonly Part[], cell: number): string {
  const standing = states[cells[cell] ?? 0]
  const name = names[cell]
  if (standing === undefined || name === undefined) return ''
  const wave = parts.length > 1 ? `, wave ${(partOf(parts, cell)?.index ?? 0) + 1}` : ''
  return `${name}${wave}: ${standingVerdict[standing].label}`
}
