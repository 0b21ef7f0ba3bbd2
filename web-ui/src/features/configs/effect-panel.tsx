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
import { t } from '../../languages/t.ts'
import type { Effect } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'
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
    <section className={classes.effect} aria-label={t('Effect on the nodes')}>
      <h2>{t('Effect on the nodes')}</h2>
      {!isGood ? (
        <p className="dim">{whyNone(checked)}</p>
      ) : isAsked && effect.isError ? (
        <ErrorBox
          what={t('The effect is not known')}
          error={effect.error}
          onRetry={() => void effect.refetch()}
        />
      ) : isAsked && effect.data !== undefined ? (
        <Found config={config} effect={effect.data} onShow={onShow} />
      ) : (
        <SkeletonRows rows={3} label={t('The effect on the nodes')} />
      )}
    </section>
  )
}

function whyNone({ check, problems }: Props['checked']): string {
  if (problems.length > 0) return t('Shown once farmstead-node accepts the text.')
  return check.kind === 'checking'
    ? t('Waits for the check.')
    : t('Not known: the text is not checked.')
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
          {t(
            '{unchecked, plural, one {# node} other {# nodes}} could not be asked about: too many different texts for one look. The plan of a rollout asks about all.',
            { unchecked },
          )}
        </p>
      )}
      {nodes > 0 && (
        <>
          <table className={classes.groups}>
            <caption className="visually-hidden">{t('By group')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('Group')}</th>
                <th scope="col">{t('Nodes')}</th>
                <th scope="col">{t('Would change')}</th>
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
              {t('And {groups, plural, one {# smaller group} other {# smaller groups}}.', {
                groups: groups.total - groups.items.length,
              })}
            </p>
          )}
          <p className="dim">
            {t('They have now: {haveWords}.', { haveWords: haveWords(config, versions) })}
          </p>
        </>
      )}
      <p className="dim">{t('Nothing goes to a node before a version of it is rolled out.')}</p>
    </>
  )
}

type RefusedProps = { refused: Effect['refused']; onShow: Props['onShow'] }

function Refused({ refused: { nodes, findings }, onShow }: RefusedProps) {
  return (
    <div className={classes.refused}>
      <strong className={classes.bad}>
        <StatusMark tone="bad" shape="square" />{' '}
        {t('{nodes, plural, one {# node} other {# nodes}} would refuse it', { nodes })}
      </strong>
      <ul className="bullets">
        {findings.items.map(({ error, nodes: { total, items } }) => (
          <li key={`${error.code} ${error.pointer} ${error.message}`}>
            {error.line > 0 && (
              <button type="button" className={classes.place} onClick={() => onShow(error)}>
                {error.line}:{error.column}
              </button>
            )}{' '}
            <span lang="en">{error.message}</span>{' '}
            {error.hint !== '' && (
              <span className="dim" lang="en">
                {error.hint}
              </span>
            )}{' '}
            <Names nodes={items} more={total - items.length} />
          </li>
        ))}
      </ul>
      {findings.total > findings.items.length && (
        <p className="dim">
          {t('And {findings} more findings.', { findings: findings.total - findings.items.length })}
        </p>
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
    {more > 0 && t(' and {more} more', { more: formatCount(more) })}
  </span>
)
