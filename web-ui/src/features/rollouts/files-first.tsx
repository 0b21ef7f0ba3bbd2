// SPDX-License-Identifier: MIT
// The files of a release go to all nodes before the first wave: what a plan says of it, and how far nodes are.

import { Link } from '@tanstack/react-router'
import { Facts } from '../../components/facts.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../languages/t.ts'
import type { Policy, Rollout } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'
import { formatDuration } from '../../lib/time.ts'
import { filesTotal } from './files-rules.ts'
import classes from './rollouts.module.css'

export function FilesFirstPlan({ policy: { filesFirstSeconds } }: { policy: Policy }) {
  if (filesFirstSeconds === null) return null
  return (
    <Notice tone="info" title={t('Its files go to all nodes first')}>
      {t(
        'The first wave begins when each node that is connected has them or refused them, or when none came further for {filesFirstSeconds}.',
        { filesFirstSeconds: formatDuration(filesFirstSeconds) },
      )}
    </Notice>
  )
}

type FilesFirst = NonNullable<Rollout['filesFirst']>

export function FilesFirstPanel({ files }: { files: FilesFirst }) {
  const { isOver, heldNodes, waitingNodes, otherNodes } = files
  const total = filesTotal(files)
  const progress = t('{heldNodes} of {total, plural, one {# node} other {# nodes}}', {
    heldNodes: formatCount(heldNodes),
    total,
  })
  const waiting = isOver ? t('Had not all of them then') : t('Still to have them')
  return (
    <section className="panel" aria-labelledby="files-first-heading">
      <div className="panel-head">
        <h2 id="files-first-heading">{t('Files first')}</h2>
        <span className="dim">
          {isOver
            ? t('before the first wave began')
            : t('the first wave begins when these nodes have them')}
        </span>
      </div>
      <div className="panel-body stack-tight">
        <progress
          className={classes.progress}
          max={Math.max(1, total)}
          value={heldNodes}
          aria-label={t('{progress} have all files', { progress })}
        />
        <Facts
          facts={[
            { name: t('Have all files'), value: progress },
            ...(waitingNodes > 0
              ? [
                  {
                    name: waiting,
                    value: t('{waitingNodes, plural, one {# node} other {# nodes}}', {
                      waitingNodes,
                    }),
                  },
                ]
              : []),
            ...(otherNodes > 0
              ? [
                  {
                    name: t('Away, or too old for it'),
                    value: t('{otherNodes, plural, one {# node} other {# nodes}}', { otherNodes }),
                  },
                ]
              : []),
          ]}
        />
        <Refusals files={files} />
      </div>
    </section>
  )
}

function Refusals({ files: { refusedNodes, refusals } }: { files: FilesFirst }) {
  if (refusedNodes === 0) return null
  const more = refusedNodes - refusals.length
  return (
    <Notice
      tone="warn"
      title={t('{refusedNodes, plural, one {# node} other {# nodes}} refused them', {
        refusedNodes,
      })}
    >
      <ul>
        {refusals.map(({ nodeId, nodeName, message }) => (
          <li key={nodeId}>
            <Link to="/nodes/$id" params={{ id: nodeId }}>
              {nodeName}
            </Link>
            {': '}
            {message}
          </li>
        ))}
        {more > 0 && (
          <li>{t('and {more, plural, one {# more node} other {# more nodes}}', { more })}</li>
        )}
      </ul>
    </Notice>
  )
}
