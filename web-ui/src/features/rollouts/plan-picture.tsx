// SPDX-License-Identifier: MIT
// The plan as a picture: each wave a column of its nodes, with what the wave carries. Who does not see it has the same in the
// sentences above it and in the table below.
import { NativeSelect } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { CellsLegend } from '../../components/cells/cells-legend.tsx'
import { CellsMap } from '../../components/cells/cells-map.tsx'
import { lettersOf, partOf, partsOf } from '../../components/cells/cells-rules.ts'
import { QueryStates } from '../../components/query-states.tsx'
import type { PlanCells, RolloutPlan } from '../../lib/api-types.ts'
import { formatRate, plural } from '../../lib/format.ts'
import { placeOfName, planCellNamesQuery, planCellsQuery } from './api.ts'
import {
  blastWords,
  domainWords,
  firstWaveProves,
  isPicture,
  type Picture,
  paintedBy,
  pictures,
  planStandingVerdict,
  waveNote,
} from './plan-picture-rules.ts'
import classes from './rollouts.module.css'

type Props = { plan: RolloutPlan; onOpen: (nodeId: string) => void }

export function PlanPicture({ plan, onOpen }: Props) {
  const cells = useQuery(planCellsQuery(plan.planDigest))
  const [picture, setPicture] = useState<Picture>('standing')
  return (
    <section className="panel" aria-labelledby="picture-heading">
      <div className="panel-head">
        <h2 id="picture-heading">{plan.waves > 1 ? `In ${plan.waves} waves` : 'In one wave'}</h2>
        <span className="grow" />
        <NativeSelect
          size="xs"
          aria-label="Coloured by"
          value={picture}
          onChange={({ currentTarget: { value } }) => isPicture(value) && setPicture(value)}
          data={Object.entries(pictures).map(([value, label]) => ({ value, label }))}
        />
      </div>
      <ul className={`panel-body ${classes.picture}`} aria-label="What the plan risks and proves">
        <li>{blastWords(plan)}</li>
        {firstWaveProves(plan).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <QueryStates query={cells} what="The picture of the plan" skeletonRows={4}>
        {(data) => <Waves plan={plan} cells={data} picture={picture} onOpen={onOpen} />}
      </QueryStates>
    </section>
  )
}

type WavesProps = Props & { cells: PlanCells; picture: Picture }

function Waves({ plan, cells, picture, onOpen }: WavesProps) {
  const client = useQueryClient()
  const [cursor, setCursor] = useState<number | null>(null)
  const { data: names = [] } = useQuery({
    ...planCellNamesQuery(plan.planDigest, cursor ?? 0),
    enabled: cursor !== null,
  })
  const standings = useMemo(() => lettersOf(cells.cells, cells.standings, 'takes'), [cells])
  const painted = useMemo(() => paintedBy(picture, cells, standings), [picture, cells, standings])
  const open = async (cell: number) => {
    // What can't be read is nobody's: the next click asks again.
    const query = planCellNamesQuery(plan.planDigest, cell)
    const read = await client.ensureQueryData(query).catch(() => [])
    const node = read[placeOfName(cell)]
    if (node !== undefined) onOpen(node.nodeId)
  }
  const parts = cells.waves.map((nodes, index) => ({
    title: `Wave ${index + 1}: ${plural(nodes, 'node')}`,
    note: waveNote(plan, index),
    nodes,
    index,
  }))
  const placed = partsOf(parts)
  const tell = (cell: number): string => {
    const name = names[placeOfName(cell)]?.nodeName
    const standing = standings[cell]
    if (name === undefined || standing === undefined) return ''
    const wave = partOf(placed, cell)?.index ?? 0
    const rate = cells.requestsPerSecond[cell] ?? null
    return [
      `${name}, wave ${wave + 1}: ${planStandingVerdict[standing].label}`,
      rate === null ? 'requests not measured' : `${formatRate(rate)} requests a second`,
      ...domainWords(cells, cell),
    ].join(', ')
  }
  return (
    <>
      <CellsMap
        label={`Map of ${plural(standings.length, 'node')} by wave. Arrow keys go from node to node, Enter opens one. The table below holds the same.`}
        parts={parts}
        isInColumns
        kinds={painted.kinds}
        lookOf={painted.lookOf}
        cursor={cursor}
        told={cursor === null ? '' : tell(cursor)}
        hint="Each cell is a node. Point at one for its name and what it serves; a click opens it."
        onCursor={setCursor}
        onPick={(cell) => void open(cell)}
      />
      <CellsLegend kinds={painted.kinds} lookOf={painted.lookOf} entries={painted.entries} />
    </>
  )
}
