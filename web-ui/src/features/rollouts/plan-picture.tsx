// SPDX-License-Identifier: MIT
// The plan as a picture: each wave a column of its nodes, with what the wave carries; and the same as a table.

import { NativeSelect, SegmentedControl } from '@mantine/core'
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { CellsLegend } from '../../components/cells/cells-legend.tsx'
import { CellsMap } from '../../components/cells/cells-map.tsx'
import { lettersOf, partOf, partsOf } from '../../components/cells/cells-rules.ts'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import type { PlanCells, Rollout, RolloutPlan } from '../../lib/api-types.ts'
import { placeOfName } from './api.ts'
import {
  type NamesAt,
  planCellNamesQuery,
  planCellsQuery,
  toComeNamesQuery,
  toComeQuery,
} from './picture-api.ts'
import {
  blastWords,
  domainWords,
  firstWaveProves,
  isPicture,
  type Outline,
  type Picture,
  paintedBy,
  pictures,
  planStandingVerdict,
  rateWords,
  waveNote,
} from './plan-picture-rules.ts'
import { PlanPictureTable } from './plan-picture-table.tsx'
import classes from './rollouts.module.css'

type OnOpen = (nodeId: string) => void

export function PlanPicture({ plan, onOpen }: { plan: RolloutPlan; onOpen: OnOpen }) {
  const cells = useQuery(planCellsQuery(plan.planDigest))
  const namesAt: NamesAt = (cell) => planCellNamesQuery(plan.planDigest, cell)
  return <WavesPicture outline={plan} cells={cells} namesAt={namesAt} onOpen={onOpen} />
}

/** Of an order that has not begun: its own waves, with the nodes as they are now. */
export function ToComePicture({ rollout, onOpen }: { rollout: Rollout; onOpen: OnOpen }) {
  const { id, policy } = rollout
  const toCome = useQuery(toComeQuery(id))
  const cells = useQuery({ ...toComeQuery(id), select: (data) => data.cells })
  return (
    <QueryStates query={toCome} what={t('The picture of the waves')} skeletonRows={6}>
      {(data) =>
        data.changingNodes > 1 && (
          <WavesPicture
            outline={{ ...data, policy }}
            cells={cells}
            namesAt={(cell) => toComeNamesQuery(id, data, cell)}
            onOpen={onOpen}
          />
        )
      }
    </QueryStates>
  )
}

type PictureProps = {
  outline: Outline
  cells: UseQueryResult<PlanCells>
  namesAt: NamesAt
  onOpen: OnOpen
}

function WavesPicture({ outline, cells, namesAt, onOpen }: PictureProps) {
  const [picture, setPicture] = useState<Picture>('standing')
  const [view, setView] = useState('map')
  return (
    <section className="panel" aria-labelledby="picture-heading">
      <div className="panel-head">
        <h2 id="picture-heading">
          {outline.waves > 1 ? t('In {waves} waves', { waves: outline.waves }) : t('In one wave')}
        </h2>
        <span className="grow" />
        {view === 'map' && (
          <NativeSelect
            size="xs"
            aria-label={t('Coloured by')}
            value={picture}
            onChange={({ currentTarget: { value } }) => isPicture(value) && setPicture(value)}
            data={Object.entries(pictures).map(([value, label]) => ({ value, label }))}
          />
        )}
        <SegmentedControl
          aria-label={t('The waves as')}
          value={view}
          onChange={setView}
          data={[
            { value: 'map', label: t('Map') },
            { value: 'table', label: t('Table') },
          ]}
        />
      </div>
      <ul
        className={`panel-body ${classes.picture}`}
        aria-label={t('What the plan risks and proves')}
      >
        <li>{blastWords(outline)}</li>
        {firstWaveProves(outline).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <QueryStates query={cells} what={t('The picture of the plan')} skeletonRows={4}>
        {(data) =>
          view === 'table' ? (
            <PlanPictureTable cells={data} namesAt={namesAt} />
          ) : (
            <Waves
              outline={outline}
              cells={data}
              namesAt={namesAt}
              picture={picture}
              onOpen={onOpen}
            />
          )
        }
      </QueryStates>
    </section>
  )
}

type WavesProps = Omit<PictureProps, 'cells'> & { cells: PlanCells; picture: Picture }

function Waves({ outline, cells, namesAt, picture, onOpen }: WavesProps) {
  const client = useQueryClient()
  const [cursor, setCursor] = useState<number | null>(null)
  const { data: names = [] } = useQuery({ ...namesAt(cursor ?? 0), enabled: cursor !== null })
  const standings = useMemo(() => lettersOf(cells.cells, cells.standings, 'takes'), [cells])
  const painted = useMemo(() => paintedBy(picture, cells, standings), [picture, cells, standings])
  const open = async (cell: number) => {
    // What can't be read is nobody's: the next click asks again.
    const read = await client.ensureQueryData(namesAt(cell)).catch(() => [])
    const node = read[placeOfName(cell)]
    if (node !== undefined) onOpen(node.nodeId)
  }
  const parts = cells.waves.map((nodes, index) => ({
    title: t('Wave {index}: {nodes, plural, one {# node} other {# nodes}}', {
      index: index + 1,
      nodes,
    }),
    note: waveNote(outline, index),
    nodes,
    index,
  }))
  const placed = partsOf(parts)
  const tell = (cell: number): string => {
    const name = names[placeOfName(cell)]?.nodeName
    const standing = standings[cell]
    if (name === undefined || standing === undefined) return ''
    const wave = partOf(placed, cell)?.index ?? 0
    return [
      t('{name}, wave {wave}: {label}', {
        name,
        wave: wave + 1,
        label: planStandingVerdict[standing].label,
      }),
      rateWords(cells.requestsPerSecond[cell] ?? null),
      ...domainWords(cells, cell),
    ].join(', ')
  }
  return (
    <>
      <CellsMap
        label={t(
          'Map of {standings, plural, one {# node} other {# nodes}} by wave. Arrow keys go from node to node, Enter opens one. The table holds the same.',
          { standings: standings.length },
        )}
        parts={parts}
        isInColumns
        kinds={painted.kinds}
        lookOf={painted.lookOf}
        cursor={cursor}
        told={cursor === null ? '' : tell(cursor)}
        hint={t(
          'Each cell is a node. Point at one for its name and what it serves; a click opens it.',
        )}
        onCursor={setCursor}
        onPick={(cell) => void open(cell)}
      />
      <CellsLegend kinds={painted.kinds} lookOf={painted.lookOf} entries={painted.entries} />
    </>
  )
}
