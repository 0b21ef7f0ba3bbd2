// SPDX-License-Identifier: MIT
// The nodes of a rollout: all of them as a map and in numbers, and as rows a page of those one asks for. A large rollout opens
// with those that somebody may have to look at.

import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusMark } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Rollout, TaskStanding } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'
import { cellsQuery, TASKS_SHOWN, type TaskFilter, tasksQuery } from './api.ts'
import classes from './cells.module.css'
import { RolloutCellsMap } from './cells-map.tsx'
import { standings, standingVerdict } from './rules.ts'
import { TaskTable } from './task-table.tsx'

/** Whom a smaller one has, its first page of rows shows. */
const MAP_FROM = TASKS_SHOWN + 1
const TYPED_AFTER_MS = 250

type Which = 'all' | 'exceptions' | TaskStanding
type Choice = { which: Which; wave: number | null; q: string; name: string | null }

export function NodesPanel({ rollout }: { rollout: Rollout }) {
  const isLarge = rollout.totalNodes >= MAP_FROM
  const first: Choice = { which: isLarge ? 'exceptions' : 'all', wave: null, q: '', name: null }
  const [choice, setChoice] = useState(first)
  const [asked] = useDebouncedValue(choice, TYPED_AFTER_MS)
  const rows = useRef<HTMLDivElement>(null)
  const pick = (name: string) => {
    setChoice({ ...first, which: 'all', name })
    rows.current?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <section className="panel" aria-labelledby="tasks-heading">
      <div className="panel-head">
        <h2 id="tasks-heading">{t('Nodes')}</h2>
        <span className="dim">{formatCount(rollout.totalNodes)}</span>
      </div>
      {isLarge && <Cells id={rollout.id} onPick={pick} />}
      {isLarge && rollout.waves.length > 1 && <ByWave rollout={rollout} />}
      {isLarge && <Chooser rollout={rollout} choice={choice} onChange={setChoice} />}
      <div ref={rows}>
        <Rows key={JSON.stringify(asked)} rollout={rollout} choice={asked} />
      </div>
    </section>
  )
}

function Cells({ id, onPick }: { id: string; onPick: (name: string) => void }) {
  const cells = useQuery(cellsQuery(id))
  return (
    <QueryStates query={cells} what={t('The map of the nodes')} skeletonRows={8}>
      {(data) => <RolloutCellsMap id={id} cells={data} onPick={onPick} />}
    </QueryStates>
  )
}

type ChooserProps = { rollout: Rollout; choice: Choice; onChange: (choice: Choice) => void }

function Chooser({ rollout, choice, onChange }: ChooserProps) {
  const { states, waves } = rollout
  const choose = (which: Which) => onChange({ ...choice, which, name: null })
  return (
    <div className="panel-body stack-tight">
      <fieldset className={classes.choices}>
        <legend className="visually-hidden">{t('Which nodes')}</legend>
        <Choose chosen={choice.which === 'exceptions'} onChoose={() => choose('exceptions')}>
          {t('May need a look')}
        </Choose>
        <Choose chosen={choice.which === 'all'} onChoose={() => choose('all')}>
          {t('All')}
        </Choose>
        {standings
          .filter((one) => states[one] !== undefined)
          .map((one) => (
            <Choose key={one} chosen={choice.which === one} onChoose={() => choose(one)}>
              <StatusMark {...standingVerdict[one]} />
              {standingVerdict[one].label} {formatCount(states[one] ?? 0)}
            </Choose>
          ))}
      </fieldset>
      <div className="row">
        <TextInput
          size="xs"
          aria-label={t('Find nodes by name')}
          placeholder={t('Name')}
          maxLength={63}
          value={choice.name ?? choice.q}
          onChange={({ currentTarget: { value } }) => onChange({ ...choice, q: value, name: null })}
        />
        {waves.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label={t('Filter by wave')}
            value={choice.wave ?? ''}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...choice, wave: value === '' ? null : Number(value), name: null })
            }
            data={[
              { value: '', label: t('All waves') },
              ...waves.map(({ index }) => ({
                value: String(index),
                label: t('Wave {index}', { index: index + 1 }),
              })),
            ]}
          />
        )}
      </div>
    </div>
  )
}

type ChooseProps = { chosen: boolean; onChoose: () => void; children: React.ReactNode }

const Choose = ({ chosen, onChoose, children }: ChooseProps) => (
  <button type="button" className={classes.choice} aria-pressed={chosen} onClick={onChoose}>
    {children}
  </button>
)

/** What the map shows, in numbers. */
function ByWave({ rollout: { waves, states } }: { rollout: Rollout }) {
  const shown = standings.filter((one) => states[one] !== undefined)
  return (
    <details className={`panel-body ${classes.byWave}`}>
      <summary>{t('Waves in numbers')}</summary>
      <ScrollBox label={t('Nodes by wave and state, table')}>
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">{t('Wave')}</th>
              {shown.map((one) => (
                <th key={one} scope="col" className="num">
                  {standingVerdict[one].label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {waves.map((wave) => (
              <tr key={wave.index}>
                <th scope="row">{wave.index + 1}</th>
                {shown.map((one) => (
                  <td key={one} className="num">
                    {formatCount(wave.states[one] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </details>
  )
}

function filterOf({ which, wave, q, name }: Choice): TaskFilter {
  return {
    ...(which === 'exceptions' && { exceptions: true }),
    ...(which !== 'exceptions' && which !== 'all' && { state: which }),
    ...(wave !== null && { wave }),
    ...(name !== null ? { name } : q !== '' && { q }),
  }
}

/** One page at a time: a thousand rows are none that anybody reads, and each of them is drawn. */
function Rows({ rollout, choice }: { rollout: Rollout; choice: Choice }) {
  const [before, setBefore] = useState<(string | null)[]>([])
  const [cursor, setCursor] = useState<string | null>(null)
  const tasks = useQuery({
    ...tasksQuery(rollout.id, filterOf(choice), cursor),
    placeholderData: keepPreviousData,
  })
  return (
    <QueryStates query={tasks} what={t('The nodes of the rollout')} skeletonRows={5}>
      {({ items, total, nextCursor }) => (
        <>
          {items.length === 0 ? (
            <NoRow choice={choice} isLater={before.length > 0} />
          ) : (
            <TaskTable rollout={rollout} tasks={items} />
          )}
          {(before.length > 0 || nextCursor !== null) && (
            <div className={`panel-body ${classes.pages}`}>
              <span className="dim">
                {items.length > 0
                  ? t('{from} to {to} of {total, plural, one {# node} other {# nodes}}', {
                      from: formatCount(before.length * TASKS_SHOWN + 1),
                      to: formatCount(before.length * TASKS_SHOWN + items.length),
                      total,
                    })
                  : t('{total, plural, one {# node} other {# nodes}}', { total })}
              </span>
              <Button
                variant="default"
                size="xs"
                disabled={before.length === 0}
                onClick={() => {
                  setCursor(before.at(-1) ?? null)
                  setBefore(before.slice(0, -1))
                }}
              >
                {t('Back')}
              </Button>
              <Button
                variant="default"
                size="xs"
                disabled={nextCursor === null}
                onClick={() => {
                  setBefore([...before, cursor])
                  setCursor(nextCursor)
                }}
              >
                {t('Next {tasksShown}', { tasksShown: TASKS_SHOWN })}
              </Button>
            </div>
          )}
        </>
      )}
    </QueryStates>
  )
}

function NoRow({ choice, isLater }: { choice: Choice; isLater: boolean }) {
  const { which, q, wave, name } = choice
  // They have got into another state since the page before was read.
  if (isLater)
    return <EmptyState title={t('None is left here')}>{t('Go back for the others.')}</EmptyState>
  if (which === 'exceptions' && q === '' && wave === null) {
    return (
      <EmptyState title={t('No node needs a look')}>
        {t('None failed, went back, waits or was left out.')}
      </EmptyState>
    )
  }
  const isNarrowed = q !== '' || wave !== null || name !== null || which !== 'all'
  return (
    <EmptyState title={isNarrowed ? t('No node is like that') : t('It has no nodes')}>
      {isNarrowed ? t('Choose others above.') : t('Where there is none, nothing is proven.')}
    </EmptyState>
  )
}
