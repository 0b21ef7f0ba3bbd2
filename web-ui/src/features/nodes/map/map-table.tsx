// SPDX-License-Identifier: MIT
// The map's twin: a row for each cell. Names of ten thousand are read as one scrolls to them.

import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { partOf } from '../../../components/cells/cells-rules.ts'
import { LongTable } from '../../../components/long-table.tsx'
import { t } from '../../../languages/t.ts'
import { nodeAtQuery, placeOfName } from './api.ts'
import type { Named } from './nodes-map.tsx'

const keyOf = (cell: number) => String(cell)

export function MapTable({
  cells,
  states,
  parts,
  valueWords,
  label,
}: Named & { label: string | undefined }) {
  const [blocks, setBlocks] = useState<readonly number[]>([0])
  const onDrawn = useCallback((indexes: readonly number[]) => {
    const next = [...new Set(indexes.map((cell) => cell - placeOfName(cell)))]
    setBlocks((before) => (before.join() === next.join() ? before : next))
  }, [])
  const answers = useQueries({
    queries: blocks.map((block) => nodeAtQuery(cells.order, label, block)),
  })
  const answerAt = (cell: number) => answers[blocks.indexOf(cell - placeOfName(cell))]
  return (
    <LongTable
      label={t('All nodes, table')}
      columns={[{ title: t('Node') }, { title: label ?? t('Group') }, { title: t('Value') }]}
      rows={[...states.keys()]}
      keyOf={keyOf}
      onDrawn={onDrawn}
    >
      {(cell) => {
        const answer = answerAt(cell)
        const node = answer?.data?.[placeOfName(cell)]
        return (
          <>
            <td>
              {node === undefined ? (
                <span className="dim">
                  {answer?.isError ? t('Could not be read') : t('Reading…')}
                </span>
              ) : (
                <Link to="/nodes/$id" params={{ id: node.id }}>
                  {node.name}
                </Link>
              )}
            </td>
            <td>{partOf(parts, cell)?.title}</td>
            <td>{valueWords(cell)}</td>
          </>
        )
      }}
    </LongTable>
  )
}
