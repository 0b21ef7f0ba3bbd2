// SPDX-License-Identifier: MIT

import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { RolloutLink } from '../../components/rollout-link.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Config, Session } from '../../lib/api-types.ts'
import { configsQuery } from './api.ts'
import { NewConfigButton } from './new-config-dialog.tsx'

const TYPING_MS = 250

export function ConfigsScreen({ session }: { session: Session }) {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS)
  const configs = useInfiniteQuery({ ...configsQuery(q), placeholderData: keepPreviousData })
  return (
    <Page title={t('Configs')} actions={<WaysIn session={session} />}>
      <div className="panel">
        <div className="panel-head">
          <TextInput
            aria-label={t('Find by name')}
            placeholder={t('Name')}
            size="xs"
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            spellCheck={false}
          />
        </div>
        <QueryStates query={configs} what={t('The configs')}>
          {({ pages }) => {
            const known = pages.flatMap(({ items }) => items)
            if (known.length > 0) {
              return <Configs known={known} hasMore={configs.hasNextPage} session={session} />
            }
            return q === '' ? (
              <NoConfig session={session} />
            ) : (
              <EmptyState title={t('None of that name')}>{t('Look for a part of it.')}</EmptyState>
            )
          }}
        </QueryStates>
        <NextPage of={configs}>{t('Show more')}</NextPage>
      </div>
    </Page>
  )
}

const NoConfig = ({ session }: { session: Session }) => (
  <EmptyState title={t('No config yet')} action={<WaysIn session={session} />}>
    <T
      text={
        'A config says what the nodes serve. Begin with a folder of files, with a file of yours, or with the config of another server. On the control plane’s machine the same is <code>admin import-config --name default --file site.jsonc --message "First version"</code>'
      }
      code={<code />}
    />
  </EmptyState>
)

const WaysIn = ({ session }: { session: Session }) => (
  <>
    <ButtonLink variant="default" to="/import">
      {t('Import')}
    </ButtonLink>
    <NewConfigButton session={session} />
  </>
)

const columns: Column[] = [
  { title: t('Config') },
  { title: t('Latest version') },
  { title: t('Draft') },
  { title: t('Changed'), className: 'wide-only' },
  { title: t('Roll out') },
]
const keyOf = ({ name }: Config) => name

type ConfigsProps = { known: Config[]; hasMore: boolean; session: Session }

function Configs({ known, hasMore, session }: ConfigsProps) {
  return (
    <LongTable
      label={t('Configs, table')}
      columns={columns}
      rows={known}
      keyOf={keyOf}
      hasMore={hasMore}
    >
      {({ name, latestVersion, draftChanged, updatedAt }) => (
        <>
          <td>
            <Link to="/configs/$name" params={{ name }}>
              <strong>{name}</strong>
            </Link>
          </td>
          <td>
            {latestVersion === null ? (
              <span className="dim">{t('none saved')}</span>
            ) : (
              <Link to="/configs/$name/versions/$number" params={{ name, number: latestVersion }}>
                v{latestVersion}
              </Link>
            )}
          </td>
          <td>{draftChanged ? t('Has changes not yet saved') : t('As saved')}</td>
          <td className="wide-only">
            <TimeAgo at={updatedAt} />
          </td>
          <td>
            {latestVersion === null ? (
              <span className="dim">–</span>
            ) : (
              <RolloutLink
                config={name}
                version={latestVersion}
                latest={latestVersion}
                session={session}
              />
            )}
          </td>
        </>
      )}
    </LongTable>
  )
}
