// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { ConfigErrors } from '../../components/config-errors.tsx'
import { CordonedBadge } from '../../components/cordoned-badge.tsx'
import { Digest } from '../../components/digest.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { NodeTask, Rollout } from '../../lib/api-types.ts'
import { ownWords } from '../../lib/own-words.ts'
import classes from './rollouts.module.css'
import { isHeldBack, taskSentence, verdictOfTask } from './rules.ts'

export function TaskTable({ rollout, tasks }: { rollout: Rollout; tasks: readonly NodeTask[] }) {
  const manyWaves = rollout.waves.length > 1
  return (
    <ScrollBox label={t('Nodes of the rollout, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Node')}</th>
            {manyWaves && (
              <th scope="col" className="num">
                {t('Wave')}
              </th>
            )}
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('What it says')}</th>
            <th scope="col" className="num">
              {t('Generation')}
            </th>
            <th scope="col">{t('Digest')}</th>
            <th scope="col">{t('Changed')}</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <TaskRow key={task.nodeId} task={task} rollout={rollout} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function TaskRow({ task, rollout }: { task: NodeTask; rollout: Rollout }) {
  const { config, waves } = rollout
  const wave = waves.length > 1
  return (
    <tr>
      <td>
        <Link to="/nodes/$id" params={{ id: task.nodeId }}>
          <strong>{task.nodeName}</strong>
        </Link>
      </td>
      {wave && <td className="num">{task.wave + 1}</td>}
      <td>
        <span className="row">
          <StatusBadge verdict={verdictOfTask(task)} />
          {isHeldBack(task) && <CordonedBadge />}
        </span>
      </td>
      <td className={classes.says}>
        {task.code !== null && <code>{task.code}</code>}{' '}
        {ownWords(task.message, task.errors) || taskSentence(task)}
        {task.errors.length > 0 && <ConfigErrors config={config} errors={task.errors} />}
      </td>
      <td className="num">{task.generation ?? '–'}</td>
      <td>
        <Digest value={task.digest} />
      </td>
      <td>
        <TimeAgo at={task.updatedAt} />
      </td>
    </tr>
  )
}
