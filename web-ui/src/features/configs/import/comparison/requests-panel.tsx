// SPDX-License-Identifier: MIT
// The requests that differ: by kind, by words, and one of them side by side.
import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import { useDeferredValue, useMemo, useState } from 'react'
import { EmptyState } from '../../../../components/empty-state.tsx'
import { LongTable } from '../../../../components/long-table.tsx'
import { useNarrow } from '../../../../hooks/use-narrow.ts'
import { t } from '../../../../languages/t.ts'
import type { Finding } from '../../../../lib/api-types.ts'
import { formatCount } from '../../../../lib/format.ts'
import importClasses from '../import.module.css'
import type { ImportSearch } from '../search.ts'
import { AnswerDialog } from './answer-dialog.tsx'
import { Change } from './change.tsx'
import classes from './comparison.module.css'
import { countsOf, type DifferingRequest, requestsWith } from './differing.ts'
import { KINDS, type Kind } from './kinds.ts'
import type { Report } from './report-file.ts'
import { kindWords } from './words.ts'

type Props = {
  requests: readonly DifferingRequest[]
  report: Report
  findings: readonly Finding[]
  search: ImportSearch
  onSearch: (search: ImportSearch) => void
}

const ALL = 'all'
/** Of each row; the dialog has all of them. */
const MOST_CHANGES = 3
const ROW_PX = 44

const columns = [{ title: t('Path') }, { title: t('What differs: old → new') }]
const keyOf = ({ path }: DifferingRequest) => path

export function RequestsPanel({ requests, report, findings, search, onSearch }: Props) {
  const [opened, setOpened] = useState<string | null>(null)
  const q = useDeferredValue(search.q ?? '')
  const shown = useMemo(() => requestsWith(requests, search.kind, q), [requests, search.kind, q])
  const at = shown.findIndex(({ path }) => path === opened)
  return (
    <section className="panel" aria-labelledby="comparison-requests">
      <div className="panel-head">
        <h2 id="comparison-requests">{t('Requests that differ')}</h2>
      </div>
      <div className={`panel-body ${importClasses.bar}`}>
        <KindField
          requests={requests}
          kind={search.kind}
          onChange={(kind) => onSearch({ ...search, kind })}
        />
        <TextInput
          aria-label={t('Find in these requests')}
          placeholder={t('Path, header or value')}
          value={search.q ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onSearch({ ...search, q: value || undefined })
          }
          maxLength={255}
          spellCheck={false}
        />
        <p className="dim" role="status">
          {(q !== '' || search.kind !== undefined) &&
            t('{shown, plural, one {# request} other {# requests}} found.', {
              shown: shown.length,
            })}
        </p>
      </div>
      {shown.length === 0 ? (
        <EmptyState title={t('No such request')}>
          {t('Look for other words, or for another kind of difference.')}
        </EmptyState>
      ) : (
        <LongTable
          label={t('Requests that differ, table')}
          columns={columns}
          rows={shown}
          keyOf={keyOf}
          rowPx={ROW_PX}
          className={`${importClasses.findings} ${classes.requests}`}
        >
          {(request) => <Cells request={request} onOpen={() => setOpened(request.path)} />}
        </LongTable>
      )}
      {shown[at] && (
        <AnswerDialog
          request={shown[at]}
          report={report}
          findings={findings}
          place={{ at, of: shown.length }}
          onGo={(next) => setOpened(shown[next]?.path ?? null)}
          onClose={() => setOpened(null)}
        />
      )}
    </section>
  )
}

type CellsProps = { request: DifferingRequest; onOpen: () => void }

function Cells({ request: { path, differences }, onOpen }: CellsProps) {
  const more = differences.length - MOST_CHANGES
  return (
    <>
      <td className={importClasses.wrapping}>
        <button
          type="button"
          className={importClasses.place}
          onClick={onOpen}
          aria-label={t('Both answers to {path}, side by side', { path })}
        >
          <bdi>{path}</bdi>
        </button>
      </td>
      <td className={importClasses.notes}>
        {differences.slice(0, MOST_CHANGES).map((difference) => (
          <Change key={difference.aspect} {...difference} />
        ))}
        {more > 0 && <p className="dim">{t('and {more} more', { more: formatCount(more) })}</p>}
      </td>
    </>
  )
}

type KindProps = {
  requests: readonly DifferingRequest[]
  kind: Kind | undefined
  onChange: (kind: Kind | undefined) => void
}

/** Those kinds that there are, and the one that the address names. */
function KindField({ requests, kind, onChange }: KindProps) {
  const narrow = useNarrow()
  const counts = useMemo(() => countsOf(requests), [requests])
  const data = [
    { value: ALL, label: t('All: {count}', { count: formatCount(requests.length) }) },
    ...KINDS.filter((one) => counts.has(one) || one === kind).map((one) => ({
      value: one,
      label: `${kindWords[one]}: ${formatCount(counts.get(one) ?? 0)}`,
    })),
  ]
  const choose = (value: string) => onChange(KINDS.find((one) => one === value))
  const common = { 'aria-label': t('Kind of difference'), value: kind ?? ALL, data }
  return narrow ? (
    <NativeSelect {...common} onChange={({ currentTarget: { value } }) => choose(value)} />
  ) : (
    <SegmentedControl {...common} onChange={choose} />
  )
}
