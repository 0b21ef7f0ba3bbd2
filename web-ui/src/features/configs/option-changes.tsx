// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { ConfigChange } from '../../lib/api-types.ts'
import { diffQuery } from './api.ts'
import classes from './configs.module.css'
import { type Side, sideLabel } from './search.ts'

const kindWords = {
  added: t('Added'),
  removed: t('Removed'),
  changed: t('Changed'),
  moved: t('Moved'),
} satisfies Record<ConfigChange['kind'], string>

export type OptionChangesProps = { name: string; from: Side; to: Side }

export function OptionChanges({ name, from, to }: OptionChangesProps) {
  const diff = useQuery(diffQuery(name, from, to))
  return (
    <QueryStates query={diff} what={t('The changes')} skeletonRows={4}>
      {({ changes, moreChanges }) => {
        if (changes === null) {
          return (
            <EmptyState title={t('The draft is not JSON yet')}>
              {t('What changed by option is seen once it is. Its text can be compared as it is.')}
            </EmptyState>
          )
        }
        if (changes.length === 0) {
          return (
            <EmptyState title={t('No option changes')}>
              {t(
                '{sideLabel} and {sideLabel2} mean the same to a node; at most comments and layout differ.',
                { sideLabel: sideLabel(from), sideLabel2: sideLabel(to) },
              )}
            </EmptyState>
          )
        }
        return (
          <>
            <ChangeTable name={name} from={from} to={to} changes={changes} />
            {moreChanges > 0 && (
              <p className="dim">
                {t(
                  'And {moreChanges, plural, one {# change} other {# changes}} more. Compare the texts.',
                  { moreChanges },
                )}
              </p>
            )}
          </>
        )
      }}
    </QueryStates>
  )
}

type ChangeTableProps = OptionChangesProps & { changes: readonly ConfigChange[] }

function ChangeTable({ name, from, to, changes }: ChangeTableProps) {
  return (
    <ScrollBox label={t('What changes, table')}>
      <table className={`grid ${classes.changes}`}>
        <thead>
          <tr>
            <th scope="col">{t('Option')}</th>
            <th scope="col" className="wide-only">
              {t('Change')}
            </th>
            <th scope="col">{sideLabel(from)}</th>
            <th scope="col">{sideLabel(to)}</th>
            <th scope="col" className="wide-only">
              {t('What it does')}
            </th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={`${change.kind} ${change.pointer}`}>
              <th scope="row">
                <PlaceLink
                  name={name}
                  side={change.kind === 'removed' ? from : to}
                  pointer={change.pointer}
                />
                {change.effect === 'restart' && (
                  <div className={classes.effect}>{t('Takes effect when the node restarts.')}</div>
                )}
              </th>
              <td className="wide-only">{kindWords[change.kind]}</td>
              <ChangedValues change={change} />
              <td className="dim wide-only">
                {change.help}
                {change.effect === 'listeners' &&
                  t(' The node opens and closes listening sockets for it.')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function PlaceLink({ name, side, pointer }: { name: string; side: Side; pointer: string }) {
  const shown = <code>{pointer}</code>
  return side === 'draft' ? (
    <Link to="/configs/$name" params={{ name }} search={{ pointer }}>
      {shown}
    </Link>
  ) : (
    <Link to="/configs/$name/versions/$number" params={{ name, number: side }} search={{ pointer }}>
      {shown}
    </Link>
  )
}

function ChangedValues({ change }: { change: ConfigChange }) {
  if (change.kind === 'moved') {
    return (
      <td colSpan={2} className="dim">
        <T text="was {fromPointer}" fromPointer={<code>{change.fromPointer}</code>} />
      </td>
    )
  }
  return (
    <>
      <td>
        <Value value={change.from} absent={change.kind === 'added'} fallback={change.default} />
      </td>
      <td>
        <Value value={change.to} absent={change.kind === 'removed'} fallback={change.default} />
      </td>
    </>
  )
}

type ValueProps = { value: unknown; absent: boolean; fallback: unknown }

function Value({ value, absent, fallback }: ValueProps) {
  if (!absent) return <span className={classes.value}>{JSON.stringify(value, null, 1)}</span>
  return (
    <span className="dim">
      {t('not set')}
      {fallback !== null && t(': {fallback} by default', { fallback: JSON.stringify(fallback) })}
    </span>
  )
}
