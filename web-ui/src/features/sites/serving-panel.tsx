// SPDX-License-Identifier: MIT
// The nodes that say that they run a version with the site.

import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Quantity } from '../../components/quantity.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge, type Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Site, SyncState } from '../../lib/api-types.ts'
import { formatCount, formatRate } from '../../lib/format.ts'
import classes from './sites.module.css'

type Props = { site: Site; stateVerdict: Record<SyncState, Verdict> }

export function ServingPanel({ site, stateVerdict }: Props) {
  const { nodes, config, versions, serving } = site
  return (
    <section className="panel" aria-labelledby="serving-heading">
      <div className="panel-head">
        <h3 id="serving-heading">
          {t('{nodes, plural, one {# node} other {# nodes}}', { nodes })}
        </h3>
        <span className="dim">{t('by their own reports')}</span>
      </div>
      {nodes === 0 ? (
        <p className="panel-body">
          <T
            text="No node serves it yet. <link>A rollout</link> of {config} brings it to nodes."
            link={<Link to="/rollouts" />}
            config={config}
          />
        </p>
      ) : (
        <>
          <ul className={`panel-body ${classes.versions}`}>
            {versions.map(({ version, nodes: count }) => (
              <li key={version}>
                <Link
                  to="/configs/$name/versions/$number"
                  params={{ name: config, number: version }}
                >
                  {config}
                  {' v'}
                  {version}
                </Link>
                <span className={classes.share} aria-hidden="true">
                  <span style={{ width: `${(count / nodes) * 100}%` }} />
                </span>
                <span className="num">
                  {t('{count, plural, one {# node} other {# nodes}}', { count })}
                </span>
              </li>
            ))}
          </ul>
          {serving !== null && <Nodes serving={serving} stateVerdict={stateVerdict} />}
        </>
      )}
    </section>
  )
}

type NodesProps = { serving: NonNullable<Site['serving']> } & Pick<Props, 'stateVerdict'>

/** Of more one looks for a name. */
const FEW = 10

function Nodes({ serving: { total, items }, stateVerdict }: NodesProps) {
  const [isAll, setIsAll] = useState(false)
  const shown = isAll ? items : items.slice(0, FEW)
  return (
    <>
      <ScrollBox label={t('Nodes that serve it, table')}>
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">{t('Node')}</th>
              <th scope="col">{t('Runs')}</th>
              <th scope="col">{t('State')}</th>
              <th scope="col" className="num">
                {t('Its requests per second')}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ nodeId, nodeName, version, state, requestsPerSecond }) => (
              <tr key={nodeId}>
                <td>
                  <Link to="/nodes/$id" params={{ id: nodeId }}>
                    {nodeName}
                  </Link>
                </td>
                <td>v{version}</td>
                <td>
                  <StatusBadge verdict={stateVerdict[state]} />
                </td>
                <td className="num">
                  <Quantity of={requestsPerSecond} as={formatRate} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {shown.length < items.length && (
        <div className="panel-body">
          <Button size="xs" variant="default" onClick={() => setIsAll(true)}>
            {t('Show {items} nodes', { items: formatCount(items.length) })}
          </Button>
        </div>
      )}
      {isAll && total > items.length && (
        <p className="panel-body dim">
          {t('The first {items} of {total} by name.', {
            items: formatCount(items.length),
            total: formatCount(total),
          })}
        </p>
      )}
    </>
  )
}
