// SPDX-License-Identifier: MIT
// What the text would do to the nodes if it were the next version: how many would get another config, and who would
// refuse it. Beside the text where there is room, below it where there is none.
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { ErrorBox } from '../../components/error-box.tsx'
import { SkeletonRows } from '../../components/query-states.tsx'
import { StatusMark } from '../../components/status-badge.tsx'
import type { Effect } from '../../lib/api-types.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { effectQuery } from './api.ts'
import classes from './effect-panel.module.css'
import { changedWords, haveWords } from './effect-words.ts'
import type { Checked } from './use-problems.ts'

/** It is dearer than a check: one more pause in the typing. */
const ASK_AFTER_MS = 600

type Place = { line: number; column: number; pointer: string }
type Props = {
  config: string
  text: string
  checked: Pick<Checked, 'check' | 'problems'>
  onShow: (place: Place) => void
}

export function EffectPanel({ config, text, checked, onShow }: Props) {
  const isGood = checked.check.kind === 'checked' && checked.problems.length === 0
  const [settled] = useDebouncedValue(text, ASK_AFTER_MS)
  const isAsked = isGood && settled === text
  const effect = useQuery({ ...effectQuery(config, settled), enabled: isAsked })
  return (
    <section className={classes.effect} aria-label="Effect on the nodes">
      <h2>Effect on the nodes</h2>
      {!isGood ? (
        <p className="dim">{whyNone(checked)}</p>
      ) : isAsked && effect.isError ? (
        <ErrorBox
          what="The effect is not known"
          error={effect.error}
          onRetry={() => void effect.refetch()}
        />
      ) : isAsked && effect.data !== undefined ? (
        <Found config={config} effect={effect.data} onShow={onShow} />
      ) : (
        <SkeletonRows rows={3} label="The effect on the nodes" />
      )}
    </section>
  )
}

function whyNone({ check, problems }: Props['checked']): string {
  if (problems.length > 0) return 'Shown once farmstead-node accepts the text.'
  return check.kind === 'checking' ? 'Waits for the check.' : 'Not known: the text is not checked.'
}

type FoundProps = { config: string; effect: Effect; onShow: Props['onShow'] }

function Found({ config, effect, onShow }: FoundProps) {
  const { nodes, groups, versions, refused, unchecked } = effect
  return (
    <>
      <p role="status" className={classes.said}>
        {changedWords(effect)}
      </p>
      {refused.nodes > 0 && <Refused refused={refused} onShow={onShow} />}
      {unchecked > 0 && (
        <p className="dim">
          {plural(unchecked, 'node')} could not be asked about: too many different texts for one
          look. The plan of a rollout asks about all.
        </p>
      )}
      {nodes > 0 && (
        <>
          <table className={classes.groups}>
            <caption className="visually-hidden">By group</caption>
            <thead>
              <tr>
                <th scope="col">Group</th>
                <th scope="col">Nodes</th>
                <th scope="col">Would change</th>
              </tr>
            </thead>
            <tbody>
              {groups.items.map(({ group, nodes: all, changed }) => (
                <tr key={group}>
                  <th scope="row">{group}</th>
                  <td>{formatCount(all)}</td>
                  <td>{formatCount(changed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {groups.total > groups.items.length && (
            <p className="dim">
              And {plural(groups.total - groups.items.length, 'smaller group')}.
            </p>
          )}
          <p className="dim">They have now: {haveWords(config, versions)}.</p>
        </>
      )}
      <p className="dim">Nothing goes to a node before a version of it is rolled out.</p>
    </>
  )
}

type RefusedProps = { refused: Effect['refused']; onShow: Props['onShow'] }

function Refused({ refused: { nodes, findings }, onShow }: RefusedProps) {
  return (
    <div className={classes.refused}>
      <strong className={classes.bad}>
        <StatusMark tone="bad" shape="square" /> {plural(nodes, 'node')} would refuse it
      </strong>
      <ul className="bullets">
        {findings.items.map(({ error, nodes: { total, items } }) => (
          <li key={`${error.code} ${error.pointer} ${error.message}`}>
            {error.line > 0 && (
              <button type="button" className={classes.place} onClick={() => onShow(error)}>
                {error.line}:{error.column}
              </button>
            )}{' '}
            {error.message} {error.hint !== '' && <span className="dim">{error.hint}</span>}{' '}
            <Names nodes={items} more={total - items.length} />
          </li>
        ))}
      </ul>
      {findings.total > findings.items.length && (
        <p className="dim">And {findings.total - findings.items.length} more findings.</p>
      )}
    </div>
  )
}

type NamesProps = { nodes: readonly { nodeId: string; nodeName: string }[]; more: number }

const Names = ({ nodes, more }: NamesProps) => (
  <span className={classes.names}>
    {nodes.map(({ nodeId, nodeName }, i) => (
      <Fragment key={nodeId}>
        {i > 0 && ', '}
        <Link to="/nodes/$id" params={{ id: nodeId }}>
          {nodeName}
        </Link>
      </Fragment>
    ))}
    {more > 0 && ` and ${formatCount(more)} more`}
  </span>
)
