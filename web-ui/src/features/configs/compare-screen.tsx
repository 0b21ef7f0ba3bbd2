// SPDX-License-Identifier: MIT
import { NativeSelect, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { LazyDiffView } from '../../components/code/lazy-code.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import type { VersionSummary } from '../../lib/api-types.ts'
import { configQuery, draftQuery, versionQuery, versionsQuery } from './api.ts'
import { ConfigTabs } from './config-tabs.tsx'
import classes from './configs.module.css'
import { OptionChanges } from './option-changes.tsx'
import { type CompareSearch, type Side, sideLabel } from './search.ts'

export type CompareScreenProps = {
  name: string
  search: CompareSearch
  onSearch: (search: CompareSearch) => void
}

export function CompareScreen({ name, search, onSearch }: CompareScreenProps) {
  const versions = useQuery(versionsQuery(name))
  const config = useQuery({ ...configQuery(name), enabled: search.to === undefined })
  // Until it is known whether the draft differs, its comparison is the likelier one.
  const draftChanged = config.data?.draftChanged ?? true
  return (
    <Page title={name} meta="What differs between two versions, or a version and the draft">
      <ConfigTabs name={name} />
      <QueryStates query={versions} what="The versions" skeletonRows={6}>
        {({ items }) => {
          const sides = chooseSides(search, items, draftChanged)
          return sides === null ? (
            <div className="panel">
              <EmptyState title="Nothing to compare with yet">
                There is no saved version of {name}.
              </EmptyState>
            </div>
          ) : (
            <Comparison
              name={name}
              versions={items}
              from={sides.from}
              to={sides.to}
              view={search.view ?? 'text'}
              onSearch={onSearch}
            />
          )
        }}
      </QueryStates>
    </Page>
  )
}

/** Without a choice: the latest version against the draft, or its parent where they are the same. */
function chooseSides(
  search: CompareSearch,
  versions: readonly VersionSummary[],
  draftChanged: boolean,
) {
  const latest = versions[0]
  if (latest === undefined) return null
  const to: Side = search.to ?? (draftChanged ? 'draft' : latest.number)
  const from: Side = search.from ?? (to === latest.number ? (latest.parent ?? to) : latest.number)
  return { from, to }
}

type ComparisonProps = {
  name: string
  versions: readonly VersionSummary[]
  from: Side
  to: Side
  view: 'text' | 'options'
  onSearch: (search: CompareSearch) => void
}

function Comparison({ name, versions, from, to, view, onSearch }: ComparisonProps) {
  const search = (change: CompareSearch): CompareSearch => ({
    from,
    to,
    ...(view === 'options' && { view }),
    ...change,
  })
  const sides = [
    ...versions.map(({ number, message }) => ({
      value: String(number),
      label: `v${number}: ${message.length > 40 ? `${message.slice(0, 40)}…` : message}`,
    })),
    { value: 'draft', label: 'Draft' },
  ]
  const sideOf = (value: string): Side => (value === 'draft' ? 'draft' : Number(value))
  return (
    <div className="panel">
      <div className={classes.compareBar}>
        <NativeSelect
          size="xs"
          label="From"
          value={String(from)}
          data={sides}
          onChange={(event) => onSearch(search({ from: sideOf(event.currentTarget.value) }))}
        />
        <NativeSelect
          size="xs"
          label="To"
          value={String(to)}
          data={sides}
          onChange={(event) => onSearch(search({ to: sideOf(event.currentTarget.value) }))}
        />
        <SegmentedControl
          aria-label="Compare as"
          value={view}
          onChange={(next) => onSearch(search({ view: next === 'options' ? next : undefined }))}
          data={[
            { value: 'text', label: 'Text' },
            { value: 'options', label: 'Changes by option' },
          ]}
        />
      </div>
      {view === 'text' ? (
        <TextComparison name={name} from={from} to={to} />
      ) : (
        <OptionChanges name={name} from={from} to={to} />
      )}
    </div>
  )
}

function useSideText(name: string, side: Side) {
  const version = useQuery({
    ...versionQuery(name, side === 'draft' ? 0 : side),
    enabled: side !== 'draft',
    select: (data) => data.text,
  })
  const draft = useQuery({
    ...draftQuery(name),
    enabled: side === 'draft',
    select: (data) => data.body.text,
  })
  return side === 'draft' ? draft : version
}

function TextComparison({ name, from, to }: { name: string; from: Side; to: Side }) {
  const narrow = useNarrow()
  const fromText = useSideText(name, from)
  const toText = useSideText(name, to)
  return (
    <QueryStates query={fromText} what={sideLabel(from)} skeletonRows={8}>
      {(a) => (
        <QueryStates query={toText} what={sideLabel(to)} skeletonRows={8}>
          {(b) =>
            a === b ? (
              <EmptyState title="No difference">
                {sideLabel(from)} and {sideLabel(to)} are the same, byte for byte.
              </EmptyState>
            ) : (
              <LazyDiffView
                from={{ label: sideLabel(from), text: a }}
                to={{ label: sideLabel(to), text: b }}
                layout={narrow ? 'unified' : 'side-by-side'}
              />
            )
          }
        </QueryStates>
      )}
    </QueryStates>
  )
}
