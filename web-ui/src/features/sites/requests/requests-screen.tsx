// SPDX-License-Identifier: MIT
// Requests as nodes answer them: searched for a while, live.

import { Button } from '@mantine/core'
import { useRef } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { csvOf } from '../../../components/chart/csv.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Page } from '../../../components/page.tsx'
import { t } from '../../../languages/t.ts'
import type { Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { countWords, csvRows, type Found, nodesWords } from './found.ts'
import { FoundTable } from './found-table.tsx'
import { askedBy, type RequestsSearch, wrongIn } from './search.ts'
import { SearchFields } from './search-fields.tsx'
import { TopLists } from './top-lists.tsx'
import { useHold } from './use-hold.ts'
import { useRequestSearch } from './use-request-search.ts'

type Props = {
  search: RequestsSearch
  onSearch: (search: RequestsSearch) => void
  session: Session
}

export function RequestsScreen({ search, onSearch, session }: Props) {
  const { found, isSearching, error, start, stop } = useRequestSearch()
  const wrong = wrongIn(search)
  const refusal =
    whyNot(session, 'requests:read') ??
    (search.clients || search.client ? whyNot(session, 'requests:clients') : null)
  const blockedBy =
    refusal ?? (Object.keys(wrong).length > 0 ? t('Correct the marked fields first.') : null)
  return (
    <Page
      title={t('Requests')}
      meta={t('Requests as nodes answer them, from the moment you start. Nothing is kept.')}
    >
      <form
        className="panel"
        aria-label={t('What to search for')}
        onSubmit={(event) => {
          event.preventDefault()
          if (blockedBy === null) start(askedBy(search))
        }}
      >
        <SearchFields {...{ search, wrong, session, onSearch }} />
        <div className="panel-body row">
          <ActionButton type="submit" blockedBy={blockedBy}>
            {isSearching ? t('Start again') : t('Start')}
          </ActionButton>
          {isSearching && (
            <Button variant="default" onClick={stop}>
              {t('Stop')}
            </Button>
          )}
        </div>
      </form>
      {error !== null && (
        <ErrorBox
          what={t('The requests were not searched')}
          error={error}
          onRetry={() => start(askedBy(search))}
        />
      )}
      {found === undefined ? (
        <NothingYet isSearching={isSearching} />
      ) : (
        <Results key={found.search.id} found={found} isSearching={isSearching} />
      )}
    </Page>
  )
}

const NothingYet = ({ isSearching }: { isSearching: boolean }) => (
  <div className="panel">
    <EmptyState title={isSearching ? t('Asking the nodes …') : t('No search yet')}>
      {t(
        'Leave fields empty to see everything. Paths come without their query, and masked as each node’s config says. Busy nodes send a part of their requests, chosen by chance.',
      )}
    </EmptyState>
  </div>
)

type ResultsProps = { found: Found; isSearching: boolean }

function Results({ found, isSearching }: ResultsProps) {
  const { search, rows } = found
  const head = useRef<HTMLDivElement>(null)
  const { shown, isHeld, behind, toggle } = useHold(rows, head)
  const save = () => {
    const csv = csvOf(csvRows(shown, search.tellsClients))
    saveFile('requests.csv', new Blob([csv], { type: 'text/csv' }))
  }
  return (
    <>
      <section className="panel" aria-labelledby="found-heading">
        <div className="panel-head" ref={head}>
          <h2 id="found-heading">{t('Found')}</h2>
          <span role="status">{stateWords(found, isSearching)}</span>
          <span className="dim">
            {t('{countWords} on {nodesWords}', {
              countWords: countWords(search),
              nodesWords: nodesWords(search),
            })}
          </span>
          <span className="grow" />
          {/* Without a row there is nothing to read in peace. */}
          {rows.length > 0 && (isSearching || isHeld) && (
            <Button variant="default" size="xs" aria-pressed={isHeld} onClick={toggle}>
              {isHeld
                ? behind > 0
                  ? t('Go on, {behind, plural, one {# new one} other {# new ones}}', { behind })
                  : t('Go on')
                : t('Pause')}
            </Button>
          )}
          {shown.length > 0 && (
            <Button variant="subtle" color="gray" size="xs" onClick={save}>
              {t('CSV')}
            </Button>
          )}
        </div>
        {shown.length === 0 ? (
          <p className="panel-body dim">
            {isSearching
              ? t('No request like that has come yet.')
              : t('No request like that came.')}
          </p>
        ) : (
          <FoundTable rows={shown} hasClients={search.tellsClients} />
        )}
      </section>
      {search.received > 0 && (
        <section className="panel" aria-labelledby="top-heading">
          <div className="panel-head">
            <h2 id="top-heading">{t('What comes most often, and how long it takes')}</h2>
          </div>
          <TopLists search={search} />
        </section>
      )}
    </>
  )
}

/** Without numbers that change each second: it is read aloud. */
function stateWords({ search: { nodes } }: Found, isSearching: boolean): string {
  if (!isSearching) return t('Ended')
  return nodes.live === 0 ? t('Asking the nodes …') : t('Live')
}
