// SPDX-License-Identifier: MIT
// All nodes as cells, by group or by a label, coloured by their state or by what was measured of each; and the same as a table.

import { NativeSelect, SegmentedControl } from '@mantine/core'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { CellsMap } from '../../../components/cells/cells-map.tsx'
import { lettersOf, type Part, partOf, partsOf } from '../../../components/cells/cells-rules.ts'
import { boundsOf, levelOf, lookOfLevel } from '../../../components/cells/levels.ts'
import { QueryStates } from '../../../components/query-states.tsx'
import { useInPieces } from '../../../hooks/use-in-pieces.ts'
import { inSentence, t } from '../../../languages/t.ts'
import type { NodeCells, SyncState } from '../../../lib/api-types.ts'
import type { RangeKey } from '../../../lib/time-range.ts'
import { syncVerdict } from '../rules.ts'
import { nodeAtQuery, nodeCellsQuery, placeOfName } from './api.ts'
import { MapLegend } from './map-legend.tsx'
import {
  framed,
  framedLook,
  isMeasure,
  lookOfState,
  type MeasureKey,
  measures,
  partsDrawn,
  titleOf,
  touchesOf,
  touchWords,
} from './map-rules.ts'
import { MapTable } from './map-table.tsx'

export type MapSearch = {
  by?: MeasureKey | undefined
  label?: string | undefined
  /** Left out: as a map. */
  as?: 'table' | undefined
}
type Props = {
  range: RangeKey
  mayMeasure: boolean
  search: MapSearch
  onSearch: (search: MapSearch) => void
  onOpen: (nodeId: string) => void
}

export function NodesMap({ range, mayMeasure, search, onSearch, onOpen }: Props) {
  const view = search.as ?? 'map'
  const by = mayMeasure ? search.by : undefined
  const cells = useQuery({
    ...nodeCellsQuery({ by, label: search.label, range }),
    placeholderData: keepPreviousData,
  })
  const drawn = useInPieces(cells)
  return (
    <section className="panel" aria-labelledby="map-heading">
      <div className="panel-head">
        <h2 id="map-heading">{t('All nodes')}</h2>
        <span className="grow" />
        {mayMeasure && (
          <NativeSelect
            size="xs"
            aria-label={t('Coloured by')}
            value={by ?? ''}
            onChange={({ currentTarget: { value } }) =>
              onSearch({ ...search, by: isMeasure(value) ? value : undefined })
            }
            data={[
              { value: '', label: t('State') },
              ...Object.entries(measures).map(([value, { label }]) => ({ value, label })),
            ]}
          />
        )}
        <NativeSelect
          size="xs"
          aria-label={t('Grouped by')}
          value={search.label ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onSearch({ ...search, label: value === '' ? undefined : value })
          }
          data={[
            { value: '', label: t('Group') },
            ...labelChoices(cells.data?.labelKeys, search.label).map((key) => ({
              ...{ value: key, label: t('Label {name}', { name: key }) },
            })),
          ]}
        />
        <SegmentedControl
          aria-label={t('All nodes as')}
          value={view}
          onChange={(next) => onSearch({ ...search, as: next === 'table' ? next : undefined })}
          data={[
            { value: 'map', label: t('Map') },
            { value: 'table', label: t('Table') },
          ]}
        />
      </div>
      <QueryStates query={drawn} what={t('The map of the nodes')} skeletonRows={6}>
        {(data) => <Cells cells={data} by={by} label={search.label} view={view} onOpen={onOpen} />}
      </QueryStates>
    </section>
  )
}

/** The one in the address may be gone. */
const labelChoices = (keys: readonly string[] = [], chosen: string | undefined) => [
  ...new Set([...keys, ...(chosen ? [chosen] : [])]),
]

export type Named = {
  cells: NodeCells
  states: readonly SyncState[]
  valueWords: (cell: number) => string
  parts: readonly Part<{ title: string; nodes: number }>[]
}

type CellsProps = Pick<Props, 'onOpen'> & {
  cells: NodeCells
  by: MeasureKey | undefined
  label: string | undefined
  view: string
}

function Cells({ cells, by, label, view, onOpen }: CellsProps) {
  const client = useQueryClient()
  const [cursor, setCursor] = useState<number | null>(null)
  const { data: names = [] } = useQuery({
    ...nodeAtQuery(cells.order, label, cursor ?? 0),
    enabled: cursor !== null,
  })
  // While another is being read, what is here is not of it.
  const isOfIt = by !== undefined && cells.measured?.by === measures[by].by
  const values = isOfIt && cells.measured ? cells.measured.values : null
  const shown = useMemo(() => shownAs(cells, values), [cells, values])
  const touches = useMemo(() => touchesOf(cells), [cells])
  const kinds = useMemo(
    () => shown.kinds.map((kind, cell) => framed(kind, touches[cell])),
    [shown, touches],
  )
  const lookOf = useMemo(() => framedLook(shown.lookOf), [shown])
  const format = measures[by ?? 'p99'].format
  const states = shown.states
  const valueWords = (cell: number) => {
    const state = syncVerdict[states[cell] ?? 'waiting'].label
    const touched = touchWords(cells, touches[cell])
    if (values === null) return [state, ...touched].join(', ')
    const value = values[cell] ?? null
    const measured = value === null ? t('nothing measured') : format(value)
    return [measured, inSentence(state), ...touched].join(', ')
  }
  const parts = partsOf(
    cells.parts.map((part) => ({ title: titleOf(part, label), nodes: part.nodes })),
  )
  const named: Named = { cells, states, valueWords, parts }
  if (view === 'table') return <MapTable {...named} label={label} />
  const open = async (cell: number) => {
    const read = await client.ensureQueryData(nodeAtQuery(cells.order, label, cell)).catch(() => [])
    const node = read[placeOfName(cell)]
    if (node !== undefined) onOpen(node.id)
  }
  const name = cursor === null ? undefined : names[placeOfName(cursor)]?.name
  const told =
    cursor === null || name === undefined
      ? ''
      : `${name}, ${partOf(parts, cursor)?.title ?? ''}: ${valueWords(cursor)}`
  return (
    <>
      <CellsMap
        label={t(
          'Map of {states, plural, one {# node} other {# nodes}}. Arrow keys go from node to node, Enter opens one. The table holds the same.',
          { states: states.length },
        )}
        parts={partsDrawn(parts).map(({ title, nodes }) => ({
          title: t('{title}: {nodes, plural, one {# node} other {# nodes}}', { title, nodes }),
          nodes,
        }))}
        kinds={kinds}
        lookOf={lookOf}
        cursor={cursor}
        told={told}
        hint={t('Each cell is a node. Point at one for its name and value; a click opens it.')}
        onCursor={setCursor}
        onPick={(cell) => void open(cell)}
      />
      <MapLegend
        kinds={shown.kinds}
        lookOf={shown.lookOf}
        bounds={shown.bounds}
        format={format}
        isMeasured={values !== null}
        touched={touches.filter((touch) => touch !== null).length}
      />
    </>
  )
}

/** What each cell is drawn as. */
function shownAs(cells: NodeCells, values: readonly (number | null)[] | null) {
  const states = lettersOf(cells.cells, cells.states, 'waiting')
  if (values === null) return { states, kinds: states, lookOf: lookOfState, bounds: null }
  const bounds = boundsOf(values)
  const kinds = values.map((value) => levelOf(value, bounds ?? []))
  const levels = bounds?.length ?? 0
  return { states, kinds, lookOf: (kind: string) => lookOfLevel(kind, levels), bounds }
}
