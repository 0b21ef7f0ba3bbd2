// SPDX-License-Identifier: MIT
// Requests as nodes answer them: searched for a while, live.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { csvOf } from '../../../components/chart/csv.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Page } from '../../../components/page.tsx'
import type { FoundRequest, Session } from '../../../lib/api-types.ts'
import { plural } from '../../../lib/format.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { countWords, csvRows, type Found, nodesWords } from './found.ts'
import { FoundTable } from './found-table.tsx'
import { askedBy, type RequestsSearch, wrongIn } from './search.ts'
import { SearchFields } from './search-fields.tsx'
import { TopLists } from './top-lists.tsx'
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
    refusal ?? (Object.keys(wrong).length > 0 ? 'Correct the marked fields first.' : null)
  return (
    <Page
      title="Requests"
      meta="Requests as nodes answer them, from the moment you start. Nothing is kept."
    >
      <form
        className="panel"
        aria-label="What to search for"
        onSubmit={(event) => {
          event.preventDefault()
          if (blockedBy === null) start(askedBy(search))
        }}
      >
        <SearchFields {...{ search, wrong, session, onSearch }} />
        <div className="panel-body row">
          <ActionButton type="submit" blockedBy={blockedBy}>
            {isSearching ? 'Start again' : 'Start'}
          </ActionButton>
          {isSearching && (
            <Button variant="default" onClick={stop}>
              Stop
            </Button>
          )}
        </div>
      </form>
      {error !== null && (
        <ErrorBox
          what="The requests were not searched"
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
    <EmptyState title={isSearching ? 'Asking the nodes …' : 'No search yet'}>
      Leave fields empty to see everything. Paths come without their query, and masked as each
      node’s config says. Busy nodes send a part of their requests, chosen by chance.
    </EmptyState>
  </div>
)

type ResultsProps = { found: Found; isSearching: boolean }

function Results({ found, isSearching }: ResultsProps) {
  const { search, rows } = found
  const [held, setHeld] = useState<readonly FoundRequest[] | null>(null)
  const shown = held ?? rows
  const behind = held === null ? 0 : newerThan(rows, held)
  const save = () => {
    const csv = csvOf(csvRows(shown, search.tellsClients))
    saveFile('requests.csv', new Blob([csv], { type: 'text/csv' }))
  }
  return (
    <>
      <section className="panel" aria-labelledby="found-heading">
        <div className="panel-head">
          <h2 id="found-heading">Found</h2>
          <span role="status">{stateWords(found, isSearching)}</span>
          <span className="dim">
            {countWords(search)} on {nodesWords(search)}
          </span>
          <span className="grow" />
          {(isSearching || held !== null) && (
            <Button
              variant="default"
              size="xs"
              aria-pressed={held !== null}
              onClick={() => setHeld(held === null ? rows : null)}
            >
              {held === null
                ? 'Pause'
                : `Go on${behind > 0 ? `, ${plural(behind, 'new one')}` : ''}`}
            </Button>
          )}
          {shown.length > 0 && (
            <Button variant="subtle" color="gray" size="xs" onClick={save}>
              CSV
            </Button>
          )}
        </div>
        {shown.length === 0 ? (
          <p className="panel-body dim">
            {isSearching ? 'No request like that has come yet.' : 'No request like that came.'}
          </p>
        ) : (
          <FoundTable rows={shown} hasClients={search.tellsClients} />
        )}
      </section>
      {search.received > 0 && (
        <section className="panel" aria-labelledby="top-heading">
          <div className="panel-head">
            <h2 id="top-heading">What comes most often</h2>
          </div>
          <TopLists search={search} />
        </section>
      )}
    </>
  )
}

/** Without numbers that change each second: it is read aloud. */
function stateWords({ search: { nodes } }: Found, isSearching: boolean): string {
  if (!isSearching) return 'Ended'
  return nodes.live === 0 ? 'Asking the nodes …' : 'Live'
}

const newerThan = (rows: readonly FoundRequest[], [newest]: readonly FoundRequest[]) =>
  rows.filter(({ number }) => number > (newest?.number ?? 0)).length
