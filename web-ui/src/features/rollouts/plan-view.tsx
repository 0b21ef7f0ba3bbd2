// SPDX-License-Identifier: MIT
// What a rollout would do: to whom, in which wave, and to how many at once.

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ConfigErrors } from '../../components/config-errors.tsx'
import { Digest } from '../../components/digest.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { RolloutPlan } from '../../lib/api-types.ts'
import { formatCount, namesOf } from '../../lib/format.ts'
import { forPeople } from '../../lib/people-words.ts'
import { planNodesQuery } from './api.ts'
import { FilesFirstPlan } from './files-first.tsx'
import { PlanRefusals } from './plan-refusals.tsx'
import { blastRadius, isToChange, type PlanRow, planRows, type Row } from './plan-rules.ts'
import { PolicyFacts } from './policy-facts.tsx'
import { ReleasesBrought } from './releases-brought.tsx'
import classes from './rollouts.module.css'
import { FAST_PATH } from './strategy-words.ts'
import { BlockedBy } from './waits-for.tsx'

export function PlanView({ plan }: { plan: RolloutPlan }) {
  const { changingNodes: changing, awayNodes: away, driftedNodes } = plan
  const hasStrategy = plan.policy.blastBudget !== null
  return (
    <>
      <PlanRefusals plan={plan} />
      <section className="panel" aria-labelledby="plan-heading">
        <div className="panel-head">
          <h2 id="plan-heading">
            {t('{nodes, plural, one {# node} other {# nodes}}, {changing} will change', {
              nodes: plan.nodes.total,
              changing: formatCount(changing),
            })}
          </h2>
          {changing > 0 && <span className="dim">{blastRadius(plan)}</span>}
          <ReleasesBrought releases={plan.releases} />
          <span className="grow" />
          <Differences plan={plan} />
        </div>
        {plan.nodes.total === 0 ? (
          <NoNode excluded={plan.excluded.total} />
        ) : (
          <PlanTable plan={plan} />
        )}
      </section>
      {plan.isFastPath && (
        <Notice tone="info" title={FAST_PATH}>
          {t('Those that take it back hold, and four times as many nodes go at once.')}
        </Notice>
      )}
      <FilesFirstPlan policy={plan.policy} />
      <Outlook plan={plan} />
      {plan.excluded.total > 0 && <Excluded excluded={plan.excluded} />}
      {plan.cordonedNodes > 0 && (
        <Notice
          tone="warn"
          title={t('{cordonedNodes, plural, one {# node} other {# nodes}} cordoned, and skipped', {
            cordonedNodes: plan.cordonedNodes,
          })}
        >
          {t('Nodes that are cordoned when their turn comes get the version with a later rollout.')}
        </Notice>
      )}
      {driftedNodes.total > 0 && <ChangedByHand drifted={driftedNodes} />}
      {away > 0 && (
        <Notice
          tone="warn"
          title={t('{away, plural, one {# node} other {# nodes}} not connected', { away })}
        >
          {t(
            '{away, plural, one {It} other {They}} will take the version on return. The others do not wait.',
            { away },
          )}
        </Notice>
      )}
      {hasStrategy && plan.nodes.total > 0 && <PolicyFacts policy={plan.policy} />}
    </>
  )
}

/** What it would wait for before it begins. */
function Outlook({ plan: { approvalsNeeded, blockedBy, closedWindow } }: { plan: RolloutPlan }) {
  if (approvalsNeeded === 0 && blockedBy.length === 0 && closedWindow === null) return null
  return (
    <Notice tone="info" title={t('It will not begin at once')}>
      <ul>
        {approvalsNeeded > 0 && (
          <li>
            {t(
              '{approvalsNeeded, plural, one {# other person} other {# other people}} must agree.',
              { approvalsNeeded },
            )}
          </li>
        )}
        {closedWindow !== null && <li>{closedWindow}</li>}
        {blockedBy.length > 0 && (
          <li>
            <T
              text="Other rollouts use some of its nodes: {blockedBy}"
              blockedBy={<BlockedBy rolloutIds={blockedBy} />}
            />
          </li>
        )}
      </ul>
    </Notice>
  )
}

/** Of more versions nobody looks at each difference. */
const DIFFERENCES = 5

function Differences({ plan }: { plan: RolloutPlan }) {
  const { total, items } = plan.fromVersions
  const versions = items.flatMap(({ version }) => version ?? [])
  const newestFirst = versions.filter((one) => one !== plan.version).toSorted((a, b) => b - a)
  const more = total - items.length + newestFirst.length - DIFFERENCES
  return (
    <>
      {newestFirst.slice(0, DIFFERENCES).map((from) => (
        <Link
          key={from}
          to="/configs/$name/compare"
          params={{ name: plan.config }}
          search={{ from, to: plan.version }}
        >
          {t('What differs from v{from}', { from })}
        </Link>
      ))}
      {more > 0 && (
        <span className="dim">
          {t('and {more, plural, one {# older version} other {# older versions}}', { more })}
        </span>
      )}
    </>
  )
}

const NoNode = ({ excluded }: { excluded: number }) =>
  excluded > 0 ? (
    <EmptyState title={t('It is for none of the nodes')}>{t('Why stands below.')}</EmptyState>
  ) : (
    <EmptyState title={t('No node to roll out to')}>
      <T
        text="<link>Add a node</link> first: where there is none, nothing is proven."
        link={<Link to="/enrolment" />}
      />
    </EmptyState>
  )

function ChangedByHand({ drifted: { total, items } }: { drifted: RolloutPlan['driftedNodes'] }) {
  const more = total - items.length
  return (
    <Notice
      tone="bad"
      title={t('{total, plural, one {# node} other {# nodes}} changed by hand', { total })}
    >
      {t(
        'Somebody edited the config on the machine. Until that is kept or discarded, the node refuses every version, and the rollout pauses there:',
      )}{' '}
      {items.map(({ nodeId, nodeName }, index) => (
        <span key={nodeId}>
          {index > 0 && ', '}
          <Link to="/nodes/$id" params={{ id: nodeId }}>
            {nodeName}
          </Link>
        </span>
      ))}
      {more > 0 && t(' and {more, plural, one {# more node} other {# more nodes}}', { more })}
    </Notice>
  )
}

function Excluded({ excluded }: Pick<RolloutPlan, 'excluded'>) {
  const { total, items } = excluded
  const more = total - items.length
  return (
    <Notice
      tone="info"
      title={t('It does not go to {total, plural, one {# other node} other {# other nodes}}', {
        total,
      })}
    >
      <ul>
        {[...Map.groupBy(items, ({ reason }) => reason)].map(([reason, nodes]) => (
          <li key={reason} lang="en">
            {namesOf(nodes.map(({ nodeName }) => nodeName))}
            {': '}
            {forPeople(reason)}
          </li>
        ))}
        {more > 0 && <li className="dim">{t('and {more} more', { more })}</li>}
      </ul>
    </Notice>
  )
}

const columns: Column[] = [
  { title: t('Node') },
  { title: t('What happens') },
  { title: t('From') },
  { title: t('To') },
  { title: t('Digest on the node') },
  { title: t('Findings in the text') },
]
const keyOf = ({ key }: PlanRow) => key
const rowClass = (row: PlanRow) => ('title' in row ? classes.part : undefined)

/** Most look at the first rows only: the others come when they are asked for, some hundred at a time. */
function PlanTable({ plan }: { plan: RolloutPlan }) {
  const known = useInfiniteQuery(planNodesQuery(plan))
  const { pages } = known.data
  const rows = useMemo(() => {
    const nodes = [plan.nodes, ...pages.slice(1)].flatMap(({ items }) => items)
    return planRows(plan, nodes)
  }, [plan, pages])
  return (
    <>
      <LongTable
        label={t('Plan, table')}
        columns={columns}
        rows={rows}
        keyOf={keyOf}
        rowClass={rowClass}
        hasMore={known.hasNextPage}
      >
        {(row) =>
          'title' in row ? (
            <th scope="row" colSpan={columns.length}>
              {row.title}
            </th>
          ) : (
            <PlannedNode plan={plan} node={row.node} verdict={row.verdict} />
          )
        }
      </LongTable>
      {known.isError && <ErrorBox what={t('The other nodes of the plan')} error={known.error} />}
      <NextPage of={known}>
        {t('Show more of {nodes, plural, one {# node} other {# nodes}}', {
          nodes: plan.nodes.total,
        })}
      </NextPage>
    </>
  )
}

function PlannedNode({ plan, node, verdict }: Row & { plan: RolloutPlan }) {
  return (
    <>
      <td>
        <Link to="/nodes/$id" params={{ id: node.nodeId }}>
          <strong>{node.nodeName}</strong>
        </Link>
      </td>
      <td>
        <StatusBadge verdict={verdict} />
      </td>
      <td>
        {node.fromVersion === null ? (
          <span className="dim">{t('none')}</span>
        ) : (
          `v${node.fromVersion}`
        )}
      </td>
      <td>
        {node.fromVersion !== plan.version ? (
          `v${plan.version}`
        ) : (
          <span className="dim">
            {isToChange(node) ? t('the same, given again') : t('the same')}
          </span>
        )}
      </td>
      <td>
        {node.digest === null ? <span className="dim">–</span> : <Digest value={node.digest} />}
      </td>
      <td className={classes.says}>
        <Findings config={plan.config} node={node} />
      </td>
    </>
  )
}

function Findings({ config, node }: { config: string; node: Row['node'] }) {
  if (node.errors.length > 0) return <ConfigErrors config={config} errors={node.errors} />
  return node.willRefuse ? (
    t('not allowed on its machine')
  ) : (
    <span className="dim">{t('none')}</span>
  )
}
