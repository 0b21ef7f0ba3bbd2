// SPDX-License-Identifier: MIT
// Every node of a rollout as a cell, wave by wave. Who does not see it has the same in numbers: the counts beside it, the table
// of waves, and the rows below.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { CellsMap } from '../../components/cells/cells-map.tsx'
import { lettersOf, partOf, partsOf } from '../../components/cells/cells-rules.ts'
import { shapePaths } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { RolloutCells, TaskStanding } from '../../lib/api-types.ts'
import { cellNamesQuery, placeOfName } from './api.ts'
import { standings, standingVerdict } from './rules.ts'

type Props = { id: string; cells: RolloutCells; onPick: (nodeName: string) => void }

export function RolloutCellsMap({ id, cells, onPick }: Props) {
  const client = useQueryClient()
  const [cursor, setCursor] = useState<number | null>(null)
  const namesOf = (cell: number) => cellNamesQuery(id, cells.order, cell)
  const { data: names = [] } = useQuery({ ...namesOf(cursor ?? 0), enabled: cursor !== null })
  const states = useMemo(() => lettersOf(cells.cells, cells.states, 'pending'), [cells])
  const waves = partsOf(cells.waves)
  const pick = async (cell: number) => {
    // What can't be read is nobody's: the next click asks again.
    const read = await client.ensureQueryData(namesOf(cell)).catch(() => [])
    const name = read[placeOfName(cell)]
    if (name !== undefined) onPick(name)
  }
  const told =
    cursor === null
      ? ''
      : tellCell(
          names[placeOfName(cursor)],
          states[cursor],
          waves.length > 1 ? partOf(waves, cursor)?.index : undefined,
        )
  return (
    <CellsMap
      label={t(
        'Map of {states, plural, one {# node} other {# nodes}}. Arrow keys go from node to node, Enter shows one in the table below, which holds the same.',
        { states: states.length },
      )}
      parts={waves.map(({ index, nodes }) => ({
        title:
          waves.length > 1
            ? t('Wave {index}: {nodes, plural, one {# node} other {# nodes}}', {
                index: index + 1,
                nodes,
              })
            : null,
        nodes,
      }))}
      kinds={states}
      lookOf={lookOf}
      cursor={cursor}
      told={told}
      hint={t('Each cell is a node. Point at one for its name; a click shows it in the table.')}
      onCursor={setCursor}
      onPick={(cell) => void pick(cell)}
    />
  )
}

function lookOf(kind: string) {
  const { tone, shape } = standingVerdict[standings.find((one) => one === kind) ?? 'pending']
  return { colour: `--fs-${tone}`, paths: shapePaths[shape] }
}

/** `wave`: of more than one, in which it is. */
function tellCell(
  name: string | undefined,
  standing: TaskStanding | undefined,
  wave: number | undefined,
): string {
  if (standing === undefined || name === undefined) return ''
  const where = wave === undefined ? '' : t(', wave {wave}', { wave: wave + 1 })
  return `${name}${where}: ${standingVerdict[standing].label}`
}
