// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { NewRolloutButton } from '../../components/new-rollout-button.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { RolloutLink } from '../../components/rollout-link.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { RolloutSummary, Session } from '../../lib/api-types.ts'
import { formatDuration } from '../../lib/time.ts'
import { versionBefore } from '../../lib/way-back.ts'
import { rolloutsQuery } from './api.ts'
import { RolloutFilters } from './rollout-filters.tsx'
import { rolloutVerdict } from './rules.ts'
import type { RolloutsSearch } from './search.ts'

type Props = {
  search: RolloutsSearch
  session: Session
  onSearch: (search: RolloutsSearch) => void
}

const TYPING_MS = 250

export function RolloutsScreen({ search, session, onSearch }: Props) {
  const [asked] = useDebouncedValue(search, TYPING_MS)
  const rollouts = useInfiniteQuery({
    ...rolloutsQuery(asked),
    placeholderData: keepPreviousData,
  })
  const isFiltered = Object.values(asked).some((value) => value !== undefined)
  return (
    <Page title={t('Rollouts')} actions={<NewRolloutButton session={session} />}>
      <div className="panel">
        <RolloutFilters search={search} onSearch={onSearch} />
        <QueryStates query={rollouts} what={t('The rollouts')} skeletonRows={5}>
          {({ pages }) => {
            const known = pages.flatMap(({ items }) => items)
            if (known.length > 0) {
              return (
                <Rollouts
                  known={known}
                  hasMore={rollouts.hasNextPage}
                  session={session}
                  isOfAll={asked.state === undefined && asked.author === undefined}
                />
              )
            }
            return isFiltered ? (
              <EmptyState title={t('No rollout matches')}>
                <Button size="xs" variant="default" onClick={() => onSearch({})}>
                  {t('Show all rollouts')}
                </Button>
              </EmptyState>
            ) : (
              <EmptyState
                title={t('Nothing has been rolled out yet')}
                action={<NewRolloutButton session={session} />}
              >
                <T
                  text="A rollout brings a saved version of a <link>config</link> to the nodes, some of them first. You see the plan before anything changes."
                  link={<Link to="/configs" />}
                />
              </EmptyState>
            )
          }}
        </QueryStates>
        <NextPage of={rollouts}>{t('Show older rollouts')}</NextPage>
      </div>
    </Page>
  )
}

const columns: Column[] = [
  { title: t('Release') },
  { title: t('State') },
  { title: t('Nodes done'), className: 'num wide-only' },
  { title: t('Message'), className: 'wide-only' },
  { title: t('By'), className: 'wide-only' },
  { title: t('Ordered') },
  { title: t('Took'), className: 'wide-only' },
  { title: t('Way back'), className: 'wide-only' },
]
const keyOf = ({ id }: RolloutSummary) => id

type ListProps = {
  known: RolloutSummary[]
  hasMore: boolean
  session: Session
  /** Of a config none is left out. */
  isOfAll: boolean
}

function newestOfEach(known: readonly RolloutSummary[]): Set<string> {
  const ofEach = new Map<string, string>()
  for (const { id, config } of known) if (!ofEach.has(config)) ofEach.set(config, id)
  return new Set(ofEach.values())
}

function Rollouts({ known, hasMore, session, isOfAll }: ListProps) {
  const newest = useMemo(
    () => (isOfAll ? newestOfEach(known) : new Set<string>()),
    [known, isOfAll],
  )
  return (
    <LongTable
      label={t('Rollouts, table')}
      columns={columns}
      rows={known}
      keyOf={keyOf}
      hasMore={hasMore}
    >
      {(rollout) => (
        <>
          <td className="nowrap">
            <Link to="/rollouts/$id" params={{ id: rollout.id }}>
              <strong>
                {rollout.config}
                {' v'}
                {rollout.version}
              </strong>
            </Link>
          </td>
          <td>
            <StatusBadge verdict={rolloutVerdict[rollout.state]} />
          </td>
          <td className="num wide-only">
            {t('{doneNodes} of {totalNodes}', {
              doneNodes: rollout.doneNodes,
              totalNodes: rollout.totalNodes,
            })}
          </td>
          <td className="wide-only">{rollout.message || <span className="dim">–</span>}</td>
          <td className="wide-only">{rollout.author}</td>
          <td>
            <TimeAgo at={rollout.createdAt} />
          </td>
          <td className="nowrap wide-only">
            <Took rollout={rollout} />
          </td>
          <td className="wide-only">
            {newest.has(rollout.id) ? (
              <WayBack rollout={rollout} session={session} />
            ) : (
              <span className="dim">–</span>
            )}
          </td>
        </>
      )}
    </LongTable>
  )
}

/** Only from the last one of a config: what went before it is not what nodes run. */
function WayBack({ rollout, session }: { rollout: RolloutSummary; session: Session }) {
  const { config, version, selector } = rollout
  const before = versionBefore(rollout)
  if (before === null) return <span className="dim">–</span>
  const latest = Math.max(version, before)
  return <RolloutLink {...{ config, version: before, latest, selector, session }} />
}

function Took({ rollout: { startedAt, endedAt } }: { rollout: RolloutSummary }) {
  if (startedAt === null) return <span className="dim">{t('not begun')}</span>
  if (endedAt === null) return <span className="dim">{t('under way')}</span>
  return formatDuration((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)
}
