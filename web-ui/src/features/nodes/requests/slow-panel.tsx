// SPDX-License-Identifier: MIT
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { LongTable } from '../../../components/long-table.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import type { Node, Session } from '../../../lib/api-types.ts'
import { formatBytes, formatCount, formatSeconds, plural } from '../../../lib/format.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { formatClock, formatDateTime } from '../../../lib/time.ts'
import { slowRequestsQuery } from '../api.ts'
import type { NodeSearch } from '../node-search.ts'
import classes from './requests.module.css'
import { type Point, partNames, parts, pointOf, reasonWords } from './rules.ts'
import { Legend } from './scatter.tsx'
import {
  ALL_KEPT_HOURS,
  hoursBack,
  isNarrowed,
  listed,
  MOST_KEPT,
  outcomeNames,
  outcomes,
  piecesOf,
  type SlowSort,
  sortedBy,
} from './slow-rules.ts'

type Props = {
  node: Node
  session: Session
  search: NodeSearch
  onSearch: (search: NodeSearch) => void
}

/** The slow requests of the last hours, which the node reported one by one. */
export function SlowPanel(props: Props) {
  const { node, session, search, onSearch } = props
  const refusal = whyNot(session, 'requests:read')
  const hours = search.slowHours ?? ALL_KEPT_HOURS
  const slow = useQuery({ ...slowRequestsQuery(node.id, hours), enabled: refusal === null })
  const points = useMemo(() => slow.data?.items.map(pointOf) ?? [], [slow.data])
  return (
    <section className="panel" aria-labelledby="slow-heading">
      <div className="panel-head">
        <h2 id="slow-heading">Slow requests</h2>
        {slow.data !== undefined && (
          <span className="dim" role="status">
            {plural(points.length, 'request')}, read at {formatClock(slow.dataUpdatedAt)}
          </span>
        )}
        <span className="grow" />
        {refusal === null && (
          <NativeSelect
            size="xs"
            aria-label="How far back"
            value={hours}
            onChange={({ currentTarget: { value } }) => {
              const chosen = hoursBack.find((one) => one === Number(value))
              const isAll = chosen === ALL_KEPT_HOURS
              onSearch({ ...search, slowHours: isAll ? undefined : chosen })
            }}
            data={hoursBack.map((one) => ({
              value: String(one),
              label: one === 1 ? 'Last hour' : `Last ${one} hours`,
            }))}
          />
        )}
        <ActionButton
          variant="default"
          size="xs"
          loading={slow.isFetching}
          blockedBy={refusal}
          onClick={() => void slow.refetch()}
        >
          Read again
        </ActionButton>
      </div>
      <p className="panel-body dim">
        Those that took <code>samples.slowerThanMillis</code> of the node’s config or longer: of
        each report the eight slowest, for {ALL_KEPT_HOURS} hours, the newest{' '}
        {formatCount(MOST_KEPT)} at most. Paths come without their query, and <code>***</code>{' '}
        stands for what <code>samples.maskPaths</code> hides before it leaves the machine. Nothing
        says who asked.
      </p>
      {refusal === null && (
        <QueryStates query={slow} what="The slow requests">
          {() =>
            points.length === 0 ? (
              <p className="panel-body">No request was slow in the time that is looked at.</p>
            ) : (
              <Listed node={node} points={points} search={search} onSearch={onSearch} />
            )
          }
        </QueryStates>
      )}
    </section>
  )
}

type ListedProps = Omit<Props, 'session'> & { points: readonly Point[] }

/** So many more at a time: what stands below on the page stays within reach. */
const SHOWN = 20

function Listed({ node, points, search, onSearch }: ListedProps) {
  const [most, setMost] = useState(SHOWN)
  const { slowPath, slowOutcome, slowPart, slowSort = 'began', slowAscending } = search
  const found = useMemo(
    () => listed(points, { slowPath, slowOutcome, slowPart, slowSort, slowAscending }),
    [points, slowPath, slowOutcome, slowPart, slowSort, slowAscending],
  )
  const column = (title: string, key: SlowSort, className = '') => ({
    title,
    className,
    sorting: {
      now:
        slowSort !== key ? null : slowAscending ? ('ascending' as const) : ('descending' as const),
      onSort: () => onSearch({ ...search, ...sortedBy(search, key) }),
    },
  })
  return (
    <>
      <div className={`panel-body row ${classes.filters}`}>
        <Filters search={search} onSearch={onSearch} />
        <Legend label="Bars" />
      </div>
      {found.length === 0 ? (
        <p className="panel-body">
          None of {plural(points.length, 'request')} is like that.{' '}
          <Button
            variant="default"
            size="compact-xs"
            onClick={() =>
              onSearch({
                ...search,
                slowPath: undefined,
                slowOutcome: undefined,
                slowPart: undefined,
              })
            }
          >
            Show all
          </Button>
        </p>
      ) : (
        <LongTable
          label={`Slow requests of ${node.name}`}
          columns={[
            column('Began', 'began'),
            column('Took', 'took', 'num'),
            { title: 'What took it', className: classes.what },
            column('Status', 'status'),
            column('Path', 'path'),
          ]}
          rows={found.slice(0, most)}
          keyOf={keyOf}
        >
          {(point) => <Cells point={point} />}
        </LongTable>
      )}
      {(found.length > most || isNarrowed(search)) && found.length > 0 && (
        <div className="panel-body row">
          <span className="dim">
            {formatCount(Math.min(most, found.length))} of {formatCount(found.length)} shown
            {isNarrowed(search) && `, which the filters leave of ${formatCount(points.length)}`}
          </span>
          {found.length > most && (
            <Button variant="default" size="xs" onClick={() => setMost(most + SHOWN * 5)}>
              Show {formatCount(Math.min(SHOWN * 5, found.length - most))} more
            </Button>
          )}
        </div>
      )}
    </>
  )
}

/** Two of the same path, in the same microsecond, that took as long are the same to whoever looks. */
const keyOf = ({ startedAt, path, totalSeconds, bytes }: Point) =>
  `${startedAt} ${totalSeconds} ${bytes} ${path}`

type FiltersProps = Pick<Props, 'search' | 'onSearch'>

function Filters({ search, onSearch }: FiltersProps) {
  return (
    <>
      <TextInput
        size="xs"
        aria-label="A part of the path"
        placeholder="A part of the path"
        spellCheck={false}
        value={search.slowPath ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, slowPath: value === '' ? undefined : value })
        }
      />
      <NativeSelect
        size="xs"
        aria-label="How it ended"
        value={search.slowOutcome ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, slowOutcome: outcomeNames.find((one) => one === value) })
        }
        data={[
          { value: '', label: 'Any status' },
          ...outcomeNames.map((one) => ({ value: one, label: outcomes[one].label })),
        ]}
      />
      <NativeSelect
        size="xs"
        aria-label="What took most of its time"
        value={search.slowPart ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ ...search, slowPart: partNames.find((one) => one === value) })
        }
        data={[
          { value: '', label: 'Slow by anything' },
          ...partNames.map((one) => ({ value: one, label: `Mostly: ${parts[one].label}` })),
        ]}
      />
    </>
  )
}

function Cells({ point }: { point: Point }) {
  const { atMs, totalSeconds, status, reason, bytes, protocol, path } = point
  return (
    <>
      <td>
        <time dateTime={point.startedAt}>{formatDateTime(atMs)}</time>
      </td>
      <td className="num">{formatSeconds(totalSeconds)}</td>
      <td className={classes.what}>
        <StageBar point={point} />
      </td>
      <td className={classes.status}>
        {status ?? 'No response'}
        <div className="dim">
          {formatBytes(bytes)}, {protocol}
          {reason !== null && `; ended early: ${reasonWords(reason)}`}
        </div>
      </td>
      <td className={classes.path}>
        {path === '' ? <span className="dim">not decodable</span> : <bdi>{path}</bdi>}
      </td>
    </>
  )
}

/** The whole bar is the whole request; the words below say the same. */
function StageBar({ point }: { point: Point }) {
  const pieces = piecesOf(point)
  return (
    <>
      <div className={classes.bar} aria-hidden="true">
        {pieces.map(({ part, share }) => (
          <span
            key={part}
            style={{ width: `${share * 100}%`, background: `var(${parts[part].colour})` }}
          />
        ))}
      </div>
      <ul className={classes.pieces}>
        {pieces.map(({ part, words }) => (
          <li key={part}>{words}</li>
        ))}
      </ul>
    </>
  )
}
