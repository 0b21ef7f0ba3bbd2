// SPDX-License-Identifier: MIT

import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { QueryStates } from '../../components/query-states.tsx'
import { RolloutLink } from '../../components/rollout-link.tsx'
import { t } from '../../languages/t.ts'
import type { FarmSummary, Session } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'
import classes from './overview.module.css'

type Props = { session: Session; farm: UseQueryResult<FarmSummary> }

/** Which versions nodes run, and how many each; and back, where some nodes still run an older one. */
export function VersionsPanel({ session, farm }: Props) {
  return (
    <section className="panel" aria-labelledby="versions-heading">
      <div className="panel-head">
        <h2 id="versions-heading">{t('Versions in use')}</h2>
      </div>
      <div className="panel-body">
        <QueryStates query={farm} what={t('The versions')}>
          {({ running, moreRunning, nodes }) =>
            running.length === 0 ? (
              <p className="dim">{t('No node runs a version yet.')}</p>
            ) : (
              <ul className={classes.versions}>
                {running.map(({ config, version, nodes: count }) => {
                  const latest = newestOf(running, config)
                  return (
                    <li key={`${config} ${version}`}>
                      <Link
                        to="/configs/$name/versions/$number"
                        params={{ name: config, number: version }}
                      >
                        {config}
                        {' v'}
                        {version}
                      </Link>
                      <span className={classes.share} aria-hidden="true">
                        <span style={{ width: `${(count / nodes.total) * 100}%` }} />
                      </span>
                      <span>{t('{count, plural, one {# node} other {# nodes}}', { count })}</span>
                      {version < latest && may(session, 'rollouts:run') && (
                        <RolloutLink {...{ config, version, latest, session }} />
                      )}
                    </li>
                  )
                })}
                {moreRunning > 0 && (
                  <li className="dim">
                    {t('and {moreRunning, plural, one {# more version} other {# more versions}}', {
                      moreRunning,
                    })}
                  </li>
                )}
              </ul>
            )
          }
        </QueryStates>
      </div>
    </section>
  )
}

const newestOf = (running: FarmSummary['running'], of: string): number =>
  Math.max(...running.filter(({ config }) => config === of).map(({ version }) => version))
