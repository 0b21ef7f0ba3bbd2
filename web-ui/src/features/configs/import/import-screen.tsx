// SPDX-License-Identifier: MIT
// From another server: its files, what they become on a node, and what they do not.

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { Page } from '../../../components/page.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { TabBar } from '../../../components/tab-bar.tsx'
import { t } from '../../../languages/t.ts'
import type { KnownImports, Session } from '../../../lib/api-types.ts'
import { type Asked, importQuery, knownImportsQuery } from './api.ts'
import { ComparisonView } from './comparison/comparison-view.tsx'
import { FileDialog, type OpenFile } from './file-dialog.tsx'
import { FilesPanel } from './files-panel.tsx'
import { bodyFor, pathOf, settled, whyNotImport, withFiles, withoutFile } from './input.ts'
import { Outcome } from './outcome.tsx'
import type { ImportSearch } from './search.ts'
import { useImportInput } from './use-import-input.ts'

type Props = {
  session: Session
  search: ImportSearch
  onSearch: (search: ImportSearch) => void
}

export function ImportScreen(props: Props) {
  const known = useQuery(knownImportsQuery)
  if (known.data) return <OpenImport {...props} known={known.data} />
  return (
    <Page title={TITLE} meta={META}>
      <QueryStates query={known} what={t('What can be imported')}>
        {() => null}
      </QueryStates>
    </Page>
  )
}

const TITLE = t('Import a config')
const META = t('What the config of another server becomes on a node, and what it does not')

const COMPARE_TITLE = t('Compare with the old server')
const COMPARE_META = t('Which requests the old server and a node answer differently')

/** The files and what they became stay while one looks at the other. */
function ImportTabs() {
  // Exactly so: without a view it is the import.
  const active = { explicitUndefined: true }
  return (
    <TabBar label={t('Views of the import')}>
      <Link to="/import" search={{ view: undefined }} activeOptions={active}>
        {t('Config')}
      </Link>
      <Link to="/import" search={{ view: 'compare' }} activeOptions={active}>
        {COMPARE_TITLE}
      </Link>
    </TabBar>
  )
}

/** Each question has its own, also when the screen is left and opened again. */
let questions = 0
const askedOf = (body: Asked['body']): Asked => ({ number: ++questions, body })

function OpenImport({ session, search, onSearch, known }: Props & { known: KnownImports }) {
  const { input, isAsked, isKept, change, ask, clear } = useImportInput(session.user.id)
  const [asked, setAsked] = useState<Asked | null>(() =>
    isAsked ? askedOf(bodyFor(input, known)) : null,
  )
  const [open, setOpen] = useState<OpenFile | null>(null)
  const outcome = useQuery(importQuery(isAsked ? asked : null))
  const { language, folder } = settled(input, known)
  const handleImport = () => {
    setAsked(askedOf(bodyFor(input, known)))
    ask()
  }
  if (search.view === 'compare') {
    return (
      <Page title={COMPARE_TITLE} meta={COMPARE_META}>
        <ImportTabs />
        <ComparisonView
          imported={isAsked ? outcome.data : undefined}
          search={search}
          onSearch={onSearch}
        />
      </Page>
    )
  }
  const isEmpty = input.files.length === 0 && input.leftOut.length === 0
  const blockedBy =
    isAsked && !outcome.isError ? t('These files have been read.') : whyNotImport(input, known)
  return (
    <Page
      title={TITLE}
      meta={META}
      actions={
        <>
          {!isEmpty && (
            <Button variant="default" onClick={clear}>
              {t('Begin anew')}
            </Button>
          )}
          <ActionButton blockedBy={blockedBy} loading={outcome.isFetching} onClick={handleImport}>
            {t('Import')}
          </ActionButton>
        </>
      }
    >
      <ImportTabs />
      <FilesPanel
        known={known}
        input={input}
        isRead={isAsked}
        isKept={isKept}
        onChange={change}
        onOpen={setOpen}
      />
      {isAsked && (
        <Outcome
          outcome={outcome}
          server={language.title}
          known={known}
          session={session}
          search={search}
          onSearch={onSearch}
          onOpen={({ file: path, line }) => {
            const file = input.files.find(({ name }) => pathOf(folder, name) === path)
            if (file) setOpen({ ...file, line })
          }}
        />
      )}
      {open !== null && (
        <FileDialog
          file={open}
          folder={folder}
          onClose={() => setOpen(null)}
          onSave={(file) => {
            const rest = open.name === file.name ? input : withoutFile(input, open.name)
            change(withFiles(rest, [file]))
            setOpen(null)
          }}
        />
      )}
    </Page>
  )
}
