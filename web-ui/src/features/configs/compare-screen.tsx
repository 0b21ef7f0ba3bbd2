// SPDX-License-Identifier: MIT

import { SegmentedControl } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LazyDiffView } from '../../components/code/lazy-code.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { RolloutButton } from '../../components/rollout-link.tsx'
import { type Choice, SearchSelect } from '../../components/search-select.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import { t } from '../../languages/t.ts'
import type { Session, VersionSummary } from '../../lib/api-types.ts'
import { configQuery, draftQuery, versionQuery, versionsQuery } from './api.ts'
import { ConfigTabs } from './config-tabs.tsx'
import classes from './configs.module.css'
import { OptionChanges } from './option-changes.tsx'
import { type CompareSearch, type Side, sideLabel } from './search.ts'

export type CompareScreenProps = {
  name: string
  session: Session
  search: CompareSearch
  onSearch: (search: CompareSearch) => void
}

export function CompareScreen({ name, session, search, onSearch }: CompareScreenProps) {
  const versions = useInfiniteQuery(versionsQuery(name))
  const config = useQuery({ ...configQuery(name), enabled: search.to === undefined })
  // Until it is known whether the draft differs, its comparison is the likelier one.
  const draftChanged = config.data?.draftChanged ?? true
  const newest = versions.data?.pages[0]?.items[0]
  const sides = chooseSides(search, newest, draftChanged)
  return (
    <Page
      title={name}
      meta={t('What differs between two versions, or a version and the draft')}
      actions={newest && <WayBack {...{ name, sides, session }} latest={newest.number} />}
    >
      <ConfigTabs name={name} />
      <QueryStates query={versions} what={t('The versions')} skeletonRows={6}>
        {() =>
          sides === null ? (
            <div className="panel">
              <EmptyState title={t('Nothing to compare with yet')}>
                {t('There is no saved version of {name}.', { name })}
              </EmptyState>
            </div>
          ) : (
            <Comparison
              name={name}
              from={sides.from}
              to={sides.to}
              view={search.view ?? 'text'}
              onSearch={onSearch}
            />
          )
        }
      </QueryStates>
    </Page>
  )
}

/** Without a choice: the latest version against the draft, or its parent where they are the same. */
function chooseSides(
  search: CompareSearch,
  latest: VersionSummary | undefined,
  draftChanged: boolean,
) {
  if (latest === undefined) return null
  const to: Side = search.to ?? (draftChanged ? 'draft' : latest.number)
  const from: Side = search.from ?? (to === latest.number ? (latest.parent ?? to) : latest.number)
  return { from, to }
}

type WayBackProps = {
  name: string
  sides: { from: Side; to: Side } | null
  latest: number
  session: Session
}

/** Who compares an old version with a newer one may be about to go back to it. */
function WayBack({ name, sides, latest, session }: WayBackProps) {
  if (sides === null) return null
  const older = Math.min(...[sides.from, sides.to].filter((side) => side !== 'draft'))
  if (older >= latest) return null
  return (
    <RolloutButton
      variant="default"
      config={name}
      version={older}
      latest={latest}
      session={session}
    />
  )
}

type ComparisonProps = {
  name: string
  from: Side
  to: Side
  view: 'text' | 'options'
  onSearch: (search: CompareSearch) => void
}

function Comparison({ name, from, to, view, onSearch }: ComparisonProps) {
  const search = (change: CompareSearch): CompareSearch => ({
    from,
    to,
    ...(view === 'options' && { view }),
    ...change,
  })
  return (
    <div className="panel">
      <div className={classes.compareBar}>
        <SideField
          name={name}
          label={t('From')}
          side={from}
          onChange={(side) => onSearch(search({ from: side }))}
        />
        <SideField
          name={name}
          label={t('To')}
          side={to}
          onChange={(side) => onSearch(search({ to: side }))}
        />
        <SegmentedControl
          aria-label={t('Compare as')}
          value={view}
          onChange={(next) => onSearch(search({ view: next === 'options' ? next : undefined }))}
          data={[
            { value: 'text', label: t('Text') },
            { value: 'options', label: t('Changes by option') },
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

type SideFieldProps = { name: string; label: string; side: Side; onChange: (side: Side) => void }

/** Of the versions those are offered that were saved last, or that fit what is typed. */
function SideField({ name, label, side, onChange }: SideFieldProps) {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed, TYPING_MS)
  const found = useInfiniteQuery({
    ...versionsQuery(name, q === '' ? {} : { q }),
    placeholderData: keepPreviousData,
  })
  const value: Choice = { value: String(side), label: sideLabel(side) }
  const versions = (found.data?.pages[0]?.items ?? []).map(choiceOf)
  return (
    <SearchSelect
      size="xs"
      label={label}
      value={value}
      // What is chosen has the same words in the field, whatever is looked for.
      choices={[...versions, DRAFT].map((one) => (one.value === value.value ? value : one))}
      onSearch={setTyped}
      onChange={(chosen) => onChange(chosen === DRAFT.value ? 'draft' : Number(chosen))}
      none={t('No version of that message or number.')}
    />
  )
}

const TYPING_MS = 250
const DRAFT: Choice = { value: 'draft', label: sideLabel('draft') }
const choiceOf = ({ number, message }: VersionSummary): Choice => ({
  value: String(number),
  label: `v${number}: ${message.length > 40 ? `${message.slice(0, 40)}…` : message}`,
})

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
              <EmptyState title={t('No difference')}>
                {t('{sideLabel} and {sideLabel2} are the same, byte for byte.', {
                  sideLabel: sideLabel(from),
                  sideLabel2: sideLabel(to),
                })}
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
