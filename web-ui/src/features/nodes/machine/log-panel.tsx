// SPDX-License-Identifier: MIT

import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { SkeletonRows } from '../../../components/query-states.tsx'
import { MarkedText, type Verdict } from '../../../components/status-badge.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { ErrorLog, LogLevel, Node } from '../../../lib/api-types.ts'
import { formatCount } from '../../../lib/format.ts'
import { formatClock, formatDateTime } from '../../../lib/time.ts'
import { errorLogQuery } from '../api.ts'
import classes from './log-panel.module.css'

const lineCounts = [50, 100, 500] as const

export function LogPanel({ node }: { node: Node }) {
  const [lines, setLines] = useState<number>(100)
  const log = useQuery(errorLogQuery(node.id, lines))
  const read = () => void log.refetch()
  return (
    <section className="panel" aria-labelledby="log-heading">
      <div className="panel-head">
        <h2 id="log-heading">{t('Error log')}</h2>
        {log.data !== undefined && (
          <span className="dim" role="status">
            <T
              text="{summary}, read {timeAgo}"
              summary={summary(log.data)}
              timeAgo={<TimeAgo at={new Date(log.dataUpdatedAt).toISOString()} />}
            />
          </span>
        )}
        <span className="grow" />
        <NativeSelect
          size="xs"
          aria-label={t('How many lines')}
          value={String(lines)}
          onChange={(event) => setLines(Number(event.currentTarget.value))}
          data={lineCounts.map((count) => ({
            value: String(count),
            label: t('{count} lines', { count }),
          }))}
        />
        <ActionButton
          variant="default"
          size="xs"
          loading={log.isFetching}
          blockedBy={node.connected ? null : t('It is not connected.')}
          onClick={read}
        >
          {log.data === undefined ? t('Ask the node') : t('Ask again')}
        </ActionButton>
      </div>
      {log.isError && !log.isFetching && (
        <div className="panel-body">
          <ErrorBox what={t('Its log was not read')} error={log.error} onRetry={read} />
        </div>
      )}
      <Body node={node} log={log.data} isAsking={log.isFetching} isFailed={log.isError} />
    </section>
  )
}

type BodyProps = {
  node: Node
  log: ErrorLog | undefined
  isAsking: boolean
  isFailed: boolean
}

function Body({ node, log, isAsking, isFailed }: BodyProps) {
  if (log !== undefined) {
    return log.lines.length === 0 ? (
      <p className="panel-body dim">{t('It has logged nothing since it started.')}</p>
    ) : (
      <Lines name={node.name} log={log} />
    )
  }
  if (isAsking) return <SkeletonRows rows={5} label={t('The log of {name}', { name: node.name })} />
  if (isFailed) return null
  return (
    <p className="panel-body dim">
      {t('The log stays on the machine. Asked for it, the node sends its newest lines.')}
    </p>
  )
}

function summary({ lines, droppedLines }: ErrorLog): string {
  const newest = t('{lines, plural, one {# line} other {# lines}}', { lines: lines.length })
  return droppedLines === 0
    ? newest
    : t('{newest}; {droppedLines} older ones are gone', {
        newest,
        droppedLines: formatCount(droppedLines),
      })
}

const levelVerdict: Record<LogLevel, Omit<Verdict, 'label'>> = {
  error: { tone: 'bad', shape: 'square' },
  warn: { tone: 'warn', shape: 'triangle' },
  info: { tone: 'info', shape: 'ring' },
  debug: { tone: 'idle', shape: 'ring' },
}

/** Oldest first, as in a terminal, and begun at its end. */
function Lines({ name, log }: { name: string; log: ErrorLog }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (box.current !== null && log.lines.length > 0)
      box.current.scrollTop = box.current.scrollHeight
  }, [log])
  return (
    <section
      ref={box}
      className={classes.lines}
      aria-label={t('Error log of {name}', { name })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
    >
      <ol>
        {log.lines.map(({ at, level, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
          <li key={index}>
            <time dateTime={at} title={formatDateTime(at)}>
              {formatClock(at)}
            </time>
            <MarkedText verdict={levelVerdict[level]}>{level}</MarkedText>
            <span className={classes.text}>{text}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
