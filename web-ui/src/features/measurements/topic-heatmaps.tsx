// SPDX-License-Identifier: MIT

import { NativeSelect } from '@mantine/core'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { RowRange } from '../../components/chart/heatmap-grid.ts'
import { HeatmapPanel } from '../../components/chart/heatmap-panel.tsx'
import type { Mark } from '../../components/chart/types.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { inSentence, t } from '../../languages/t.ts'
import type { Heatmap, Stage } from '../../lib/api-types.ts'
import { isStage, stages } from '../../lib/stages.ts'
import { chosenSpan, type TimeSearch } from '../../lib/time-range.ts'
import { heatmapQuery } from './api.ts'
import classes from './measurements.module.css'
import { FARM, setsIn } from './sets.ts'
import { stepWords, type TopicProps } from './topic-charts.tsx'

/** One for each set, of one stage. */
export function TopicHeatmaps({ time, marks, search, onSearch, onTime }: TopicProps) {
  const stage = search.stage ?? 'total'
  const zoom = (from: number, to: number) => onTime(chosenSpan(from, to, Date.now() / 1000))
  return (
    <>
      <StageSelect stage={stage} onStage={(next) => onSearch({ ...search, stage: next })} />
      <div className={classes.charts}>
        {setsIn(search.of ?? FARM).map((of) => (
          <HeatmapOf key={of} of={of} time={time} stage={stage} marks={marks} onZoom={zoom} />
        ))}
      </div>
    </>
  )
}

export function StageSelect({ stage, onStage }: { stage: Stage; onStage: (stage: Stage) => void }) {
  return (
    <div className="row">
      <NativeSelect
        size="xs"
        aria-label={t('Stage of a request')}
        value={stage}
        onChange={({ currentTarget: { value } }) => isStage(value) && onStage(value)}
        data={Object.entries(stages).map(([value, { label }]) => ({ value, label }))}
      />
      <span className="dim">
        {t(
          '{help} The stronger a cell’s colour, the more requests. Steps without a grey column were not measured.',
          { help: stages[stage].help },
        )}
      </span>
    </div>
  )
}

type Drawing = { marks: readonly Mark[]; onZoom: (from: number, to: number) => void }

function HeatmapOf({
  of,
  time,
  stage,
  ...drawing
}: Drawing & { of: string; time: TimeSearch; stage: Stage }) {
  return <SetHeatmap heatmap={useQuery(heatmapQuery({ of, time }, stage))} {...drawing} />
}

export type SetHeatmapProps = Partial<Drawing> & {
  heatmap: UseQueryResult<Heatmap>
  rows?: RowRange | undefined
  /** Of one set at two times, which of them. */
  when?: string | undefined
}

export function SetHeatmap({ heatmap, rows, when, marks, onZoom }: SetHeatmapProps) {
  return (
    <div>
      <QueryStates query={heatmap} what={t('The heatmap')} skeletonRows={6}>
        {(answer) =>
          isEmpty(answer) ? (
            <section className="panel" aria-label={titleOf(answer, when)}>
              <EmptyState title={t('{title}: no request in this time', { title: answer.title })}>
                {t(
                  'Nodes report what they served. Choose a longer time, another stage, or other nodes.',
                )}
              </EmptyState>
            </section>
          ) : (
            <HeatmapPanel
              label={titleOf(answer, when)}
              help={t('steps of {stepSeconds}', { stepSeconds: stepWords(answer.stepSeconds) })}
              counts={answer}
              within={rows}
              {...(marks && { marks })}
              {...(onZoom && { onZoom })}
            />
          )
        }
      </QueryStates>
    </div>
  )
}

const titleOf = ({ title, stage }: Heatmap, when: string | undefined): string =>
  `${title}${when === undefined ? '' : `, ${when}`}: ${inSentence(stages[stage].label)}`

const isEmpty = ({ steps }: Heatmap): boolean =>
  steps.every((step) => step === null || (step.zeroCount === 0 && step.counts.length === 0))
