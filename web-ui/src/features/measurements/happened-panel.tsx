// SPDX-License-Identifier: MIT

import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import { MarkFlag } from '../../components/chart/mark-flag.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { t } from '../../languages/t.ts'
import type { FarmMoment } from '../../lib/farm-moments.ts'
import { formatCount } from '../../lib/format.ts'
import { type Happened, MOST_READ, type See } from '../../lib/happened.ts'
import { formatDateTime } from '../../lib/time.ts'
import { nothingWords } from './happened.ts'
import classes from './measurements.module.css'

type Props = { happened: UseQueryResult<Happened>; marks: readonly FarmMoment[]; see: See }

/** What the lines in all charts are. */
export function HappenedPanel({ happened, marks, see }: Props) {
  return (
    <section className="panel" aria-labelledby="happened-heading">
      <div className="panel-head">
        <h2 id="happened-heading">{t('Marked in the charts')}</h2>
        <span className="dim">{t('rollouts and alerts of this time')}</span>
      </div>
      <div className="panel-body">
        <QueryStates query={happened} what={t('Rollouts and alerts of this time')}>
          {({ isCut }) => (
            <>
              {isCut && (
                <p className="dim">
                  {t('Only the newest {mostRead} are read. Older ones are not marked.', {
                    mostRead: formatCount(MOST_READ),
                  })}
                </p>
              )}
              {marks.length > 0 ? (
                <List marks={marks} />
              ) : (
                !isCut && <p className="dim">{nothingWords(see)}</p>
              )}
            </>
          )}
        </QueryStates>
      </div>
    </section>
  )
}

/** Of a bad day they are hundreds: they are made in pieces, and no chart waits for them. */
function List({ marks }: { marks: readonly FarmMoment[] }) {
  const shown = useDeferredValue(marks, [])
  const list = useMemo(
    () => (
      <ul>
        {shown.map((mark) => (
          <li key={`${mark.id} ${mark.text}`}>
            <MarkFlag kind={mark.kind} /> {formatDateTime(mark.atSeconds * 1000)}{' '}
            {mark.kind === 'rollout' ? (
              <Link to="/rollouts/$id" params={{ id: mark.id }}>
                {mark.text}
              </Link>
            ) : (
              <Link to="/alerts" search={mark.isOver ? { state: 'resolved' } : {}}>
                {mark.text}
              </Link>
            )}
          </li>
        ))}
      </ul>
    ),
    [shown],
  )
  return (
    <ScrollBox label={t('Rollouts and alerts of this time')} className={classes.happened}>
      {list}
    </ScrollBox>
  )
}
