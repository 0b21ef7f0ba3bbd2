// SPDX-License-Identifier: MIT
// Every directive of the files, in one of three lists; what was lost first.

import { SegmentedControl, TextInput } from '@mantine/core'
import { useDeferredValue, useMemo } from 'react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { type Column, LongTable } from '../../../components/long-table.tsx'
import { t } from '../../../languages/t.ts'
import type { Finding, KnownImports } from '../../../lib/api-types.ts'
import { formatCount } from '../../../lib/format.ts'
import { countsOf, findingKey, findingsOf, placeText, saidBefore } from './findings.ts'
import classes from './import.module.css'
import { Said } from './said.tsx'
import type { ImportSearch } from './search.ts'

type Props = {
  findings: readonly Finding[]
  known: KnownImports
  search: ImportSearch
  onSearch: (search: ImportSearch) => void
  onOpen: (where: Pick<Finding, 'file' | 'line'>) => void
}

const noteHeads: Record<Finding['verdict'], string | null> = {
  unsupported: t('What to do instead'),
  different: t('What differs, and why'),
  taken: null,
}
/** A directive and its place. */
const ROW_PX = 61

export function FindingsPanel({ findings, known, search, onSearch, onOpen }: Props) {
  const counts = useMemo(() => countsOf(findings), [findings])
  const first = known.verdicts.find(({ verdict }) => counts[verdict] > 0)
  const show = search.show ?? first?.verdict ?? 'taken'
  const q = useDeferredValue(search.q ?? '')
  const shown = useMemo(() => findingsOf(findings, show, q), [findings, show, q])
  const repeated = useMemo(() => saidBefore(shown), [shown])
  const noteHead = noteHeads[show]
  const meaning = known.verdicts.find(({ verdict }) => verdict === show)?.meaning
  const columns: Column[] = [
    { title: t('Directive') },
    ...(noteHead === null ? [] : [{ title: noteHead }]),
  ]
  return (
    <section className="panel" aria-labelledby="import-findings">
      <div className="panel-head">
        <h2 id="import-findings">{t('What became of each directive')}</h2>
      </div>
      <div className={`panel-body ${classes.bar}`}>
        <SegmentedControl
          aria-label={t('List')}
          className={classes.lists}
          value={show}
          onChange={(verdict) => onSearch({ ...search, show: verdict })}
          data={known.verdicts.map(({ verdict, title }) => ({
            value: verdict,
            label: `${title}: ${formatCount(counts[verdict])}`,
          }))}
        />
        <TextInput
          aria-label={t('Find in this list')}
          placeholder={t('Directive, file or word')}
          value={search.q ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onSearch({ ...search, q: value || undefined })
          }
          maxLength={255}
          spellCheck={false}
        />
        <p className="dim">
          {counts[show] > 0 && meaning}{' '}
          <span role="status">
            {q !== '' &&
              t('{shown, plural, one {# directive} other {# directives}} found.', {
                shown: shown.length,
              })}
          </span>
        </p>
      </div>
      {shown.length === 0 ? (
        <EmptyState title={q === '' ? t('None') : t('None with these words')}>
          {q === ''
            ? t('No directive is in this list.')
            : t('Look for another, or in another list.')}
        </EmptyState>
      ) : (
        <LongTable
          label={t('Directives, table')}
          columns={columns}
          rows={shown}
          keyOf={findingKey}
          rowPx={ROW_PX}
          className={classes.findings}
        >
          {(finding) => (
            <>
              <td className={classes.wrapping}>
                <code>{finding.directive}</code>
                <button
                  type="button"
                  className={classes.place}
                  onClick={() => onOpen(finding)}
                  aria-label={t('Open {placeText}', { placeText: placeText(finding) })}
                >
                  {placeText(finding)}
                </button>
              </td>
              {noteHead !== null && (
                <td className={classes.notes}>
                  {repeated.has(finding) ? (
                    <p className="dim">{t('As above')}</p>
                  ) : (
                    finding.notes.map(({ code, text }) => (
                      <p key={`${code} ${text}`}>
                        <Said text={text} />
                      </p>
                    ))
                  )}
                </td>
              )}
            </>
          )}
        </LongTable>
      )}
    </section>
  )
}
