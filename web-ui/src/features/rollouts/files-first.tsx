// SPDX-License-Identifier: MIT
// The files of a release go to all nodes before the first wave: what a plan says of it, and how far nodes are.
import { Link } from '@tanstack/react-router'
import { Facts } from '../../components/facts.tsx'
import { Notice } from '../../components/notice.tsx'
import type { Policy, Rollout } from '../../lib/api-types.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { formatDuration } from '../../lib/time.ts'
import { filesTotal } from './files-rules.ts'
import classes from './rollouts.module.css'

export function FilesFirstPlan({ policy: { filesFirstSeconds } }: { policy: Policy }) {
  if (filesFirstSeconds === null) return null
  return (
    <Notice tone="info" title="Its files go to all nodes first">
      The first wave begins when each node that is connected has them or refused them, or when none
      came further for {formatDuration(filesFirstSeconds)}.
    </Notice>
  )
}

type FilesFirst = NonNullable<Rollout['filesFirst']>

export function FilesFirstPanel({ files }: { files: FilesFirst }) {
  const { isOver, heldNodes, waitingNodes, otherNodes } = files
  const total = filesTotal(files)
  const progress = `${formatCount(heldNodes)} of ${plural(total, 'node')}`
  const waiting = isOver ? 'Had not all of them then' : 'Still to have them'
  return (
    <section className="panel" aria-labelledby="files-first-heading">
      <div className="panel-head">
        <h2 id="files-first-heading">Files first</h2>
        <span className="dim">
          {isOver
            ? 'before the first wave began'
            : 'the first wave begins when these nodes have them'}
        </span>
      </div>
      <div className="panel-body stack-tight">
        <progress
          className={classes.progress}
          max={Math.max(1, total)}
          value={heldNodes}
          aria-label={`${progress} have all files`}
        />
        <Facts
          facts={[
            { name: 'Have all files', value: progress },
            ...(waitingNodes > 0 ? [{ name: waiting, value: plural(waitingNodes, 'node') }] : []),
            ...(otherNodes > 0
              ? [{ name: 'Away, or too old for it', value: plural(otherNodes, 'node') }]
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
    <Notice tone="warn" title={`${plural(refusedNodes, 'node')} refused them`}>
      <ul>
        {refusals.map(({ nodeId, nodeName, message }) => (
          <li key={nodeId}>
            <Link to="/nodes/$id" params={{ id: nodeId }}>
              {nodeName}
            </Link>
            : {message}
          </li>
        ))}
        {more > 0 && <li>and {plural(more, 'more node')}</li>}
      </ul>
    </Notice>
  )
}
