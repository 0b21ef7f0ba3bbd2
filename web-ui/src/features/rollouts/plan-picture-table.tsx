// SPDX-License-Identifier: MIT
// The picture's twin: a row for each cell. Names of ten thousand are read as one scrolls to them.

import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { lettersOf, partOf, partsOf } from '../../components/cells/cells-rules.ts'
import { LongTable } from '../../components/long-table.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { PlanCells } from '../../lib/api-types.ts'
import { DASH, formatRate } from '../../lib/format.ts'
import { placeOfName } from './api.ts'
import type { NamesAt } from './picture-api.ts'
import { planStandingVerdict } from './plan-picture-rules.ts'

const columns = [
  { title: t('Node') },
  { title: t('Wave'), className: 'num' },
  { title: t('What happens') },
  { title: t('Requests per second'), className: 'num' },
  { title: t('Failure domain') },
]
const keyOf = (cell: number) => String(cell)

export function PlanPictureTable({ cells, namesAt }: { cells: PlanCells; namesAt: NamesAt }) {
  const [blocks, setBlocks] = useState<readonly number[]>([0])
  const onDrawn = useCallback((indexes: readonly number[]) => {
    const next = [...new Set(indexes.map((cell) => cell - placeOfName(cell)))]
    setBlocks((before) => (before.join() === next.join() ? before : next))
  }, [])
  const answers = useQueries({ queries: blocks.map((block) => namesAt(block)) })
  const standings = useMemo(() => lettersOf(cells.cells, cells.standings, 'takes'), [cells])
  const waves = partsOf(cells.waves.map((nodes, index) => ({ nodes, index })))
  return (
    <LongTable
      label={t('Nodes by wave, table')}
      columns={columns}
      rows={[...standings.keys()]}
      keyOf={keyOf}
      onDrawn={onDrawn}
    >
      {(cell) => {
        const answer = answers[blocks.indexOf(cell - placeOfName(cell))]
        const node = answer?.data?.[placeOfName(cell)]
        const rate = cells.requestsPerSecond[cell] ?? null
        return (
          <>
            <td>
              {node === undefined ? (
                <span className="dim">
                  {answer?.isError ? t('Could not be read') : t('Reading…')}
                </span>
              ) : (
                <Link to="/nodes/$id" params={{ id: node.nodeId }}>
                  {node.nodeName}
                </Link>
              )}
            </td>
            <td className="num">{(partOf(waves, cell)?.index ?? 0) + 1}</td>
            <td>
              <StatusBadge verdict={planStandingVerdict[standings[cell] ?? 'takes']} />
            </td>
            <td className="num">{rate === null ? DASH : formatRate(rate)}</td>
            <td>
              {cells.domains[cells.domainOf[cell] ?? -1] ?? <span className="dim">{DASH}</span>}
            </td>
          </>
        )
      }}
    </LongTable>
  )
}
