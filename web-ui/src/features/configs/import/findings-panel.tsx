// SPDX-License-Identifier: MIT
// Every directive of the files, in one of three lists; what was lost first.
import { SegmentedControl, TextInput } from '@mantine/core'
import { useDeferredValue, useMemo } from 'react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { type Column, LongTable } from '../../../components/long-table.tsx'
import type { Finding, KnownImports } from '../../../lib/api-types.ts'
import { formatCount, plural } from '../../../lib/format.ts'
import { countsOf, findingKey, findingsOf, saidBefore, wordsOf } from './findings.ts'
import classes from './import.module.css'
import type { ImportSearch } from './search.ts'

type Props = {
  findings: readonly Finding[]
  known: KnownImports
  search: ImportSearch
  onSearch: (search: ImportSearch) => void
  onOpen: (where: Pick<Finding, 'file' | 'line'>) => void
}

const noteHeads: Record<Finding['verdict'], string | null> = {
  unsupported: 'What to do instead',
  different: 'What differs, and why',
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
    { title: 'Directive' },
    ...(noteHead === null ? [] : [{ title: noteHead }]),
  ]
  return (
    <section className="panel" aria-labelledby="import-findings">
      <div className="panel-head">
        <h2 id="import-findings">What became of each directive</h2>
      </div>
      <div className={`panel-body ${classes.bar}`}>
        <SegmentedControl
          aria-label="List"
          className={classes.lists}
          value={show}
          onChange={(verdict) => onSearch({ ...search, show: verdict })}
          data={known.verdicts.map(({ verdict, title }) => ({
            value: verdict,
            label: `${title}: ${formatCount(counts[verdict])}`,
          }))}
        />
        <TextInput
          aria-label="Find in this list"
          placeholder="Directive, file or word"
          value={search.q ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onSearch({ ...search, q: value || undefined })
          }
          maxLength={255}
          spellCheck={false}
        />
        <p className="dim">
          {counts[show] > 0 && meaning}{' '}
          <span role="status">{q !== '' && `${plural(shown.length, 'directive')} found.`}</span>
        </p>
      </div>
      {shown.length === 0 ? (
        <EmptyState title={q === '' ? 'None' : 'None with these words'}>
          {q === '' ? 'No directive is in this list.' : 'Look for another, or in another list.'}
        </EmptyState>
      ) : (
        <LongTable
          label="Directives, table"
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
                  aria-label={`Open ${placeText(finding)}`}
                >
                  {placeText(finding)}
                </button>
              </td>
              {noteHead !== null && (
                <td className={classes.notes}>
                  {repeated.has(finding) ? (
                    <p className="dim">As above</p>
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

const Said = ({ text }: { text: string }) =>
  wordsOf(text).map(({ text: words, isCode }, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence, which never change places
    isCode ? <code key={i}>{words}</code> : words,
  )

const placeText = ({ file, line, column }: Finding) => `${file}:${line}:${column}`
