// SPDX-License-Identifier: MIT

import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { QueryStates } from '../../components/query-states.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { FarmSummary } from '../../lib/api-types.ts'
import classes from './rollouts.module.css'
import { progressText, rolloutVerdict } from './rules.ts'

/** What is under way and what waits, the oldest first. */
export function RolloutsNow({ farm }: { farm: UseQueryResult<FarmSummary> }) {
  return (
    <section className="panel" aria-labelledby="rollouts-now-heading">
      <div className="panel-head">
        <h2 id="rollouts-now-heading">{t('Rollouts')}</h2>
      </div>
      <div className="panel-body">
        <QueryStates query={farm} what={t('The rollouts')}>
          {({ rollouts }) => {
            if (rollouts === null) return <p className="dim">{t('You may not see rollouts.')}</p>
            const { underWay, waiting, named } = rollouts
            const more = underWay + waiting - named.length
            return named.length === 0 ? (
              <p className="dim">
                <T
                  text="None is running. <link>What was rolled out</link>"
                  link={<Link to="/rollouts" />}
                />
              </p>
            ) : (
              <ul className={classes.now}>
                {named.map(({ id, config, version, state, totalNodes, doneNodes }) => (
                  <li key={id}>
                    <Link to="/rollouts/$id" params={{ id }}>
                      {config}
                      {' v'}
                      {version}
                    </Link>
                    <StatusBadge verdict={rolloutVerdict[state]} />
                    <span className="dim">{progressText(doneNodes, totalNodes)}</span>
                  </li>
                ))}
                {more > 0 && (
                  <li className="dim">
                    <Link to="/rollouts">
                      {t('and {more, plural, one {# more rollout} other {# more rollouts}}', {
                        more,
                      })}
                    </Link>
                  </li>
                )}
              </ul>
            )
          }}
        </QueryStates>
      </div>
    </section>
  )
}
