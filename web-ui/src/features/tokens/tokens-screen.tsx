// SPDX-License-Identifier: MIT

import { Button, Checkbox } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyField } from '../../components/copy-field.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { CreatedToken, Session, Token } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'
import { formatDateTime } from '../../lib/time.ts'
import { createTokenMutation, tokensKey, tokensQuery } from './api.ts'
import { RevokeDialog } from './revoke-dialog.tsx'
import { TokenForm } from './token-form.tsx'
import { TokensTable } from './tokens-table.tsx'

export type TokensSearch = { all?: true }
export type TokensScreenProps = {
  session: Session
  search: TokensSearch
  onSearch: (search: TokensSearch) => void
}

export function TokensScreen({ session, search, onSearch }: TokensScreenProps) {
  return (
    <Page
      width="list"
      title={t('Tokens')}
      meta={t('A program uses a token to call the API in your name.')}
    >
      <NewTokenPanel session={session} />
      <TokensPanel session={session} search={search} onSearch={onSearch} />
    </Page>
  )
}

function NewTokenPanel({ session }: { session: Session }) {
  const client = useQueryClient()
  const create = useMutation({
    ...createTokenMutation,
    onSuccess: () => client.invalidateQueries(tokensKey),
  })
  return (
    <section className="panel" aria-labelledby="new-token-heading">
      <div className="panel-head">
        <h2 id="new-token-heading">
          {create.data === undefined ? t('New token') : create.data.name}
        </h2>
        <span className="grow" />
        {create.data !== undefined && (
          <Button variant="default" size="xs" onClick={() => create.reset()}>
            {t('I have copied it')}
          </Button>
        )}
      </div>
      <div className="panel-body">
        {create.data === undefined ? (
          <TokenForm
            session={session}
            pending={create.isPending}
            error={create.error}
            onCreate={(token) => create.mutate(token)}
          />
        ) : (
          <Secret token={create.data} />
        )}
      </div>
    </section>
  )
}

function Secret({ token }: { token: CreatedToken }) {
  return (
    <div className="stack">
      <CopyField label={t('The token, shown only now')} value={token.secret} />
      <p className="dim">
        <T
          text="Send it as <code>Authorization: Bearer …</code>. It is good until {expiresAt}. Lost? Revoke it and make another one."
          code={<code />}
          expiresAt={formatDateTime(token.expiresAt)}
        />
      </p>
    </div>
  )
}

function TokensPanel({ session, search, onSearch }: TokensScreenProps) {
  const all = search.all === true
  const tokens = useInfiniteQuery(tokensQuery(all))
  const [revoking, setRevoking] = useState<Token | null>(null)
  return (
    <section className="panel" aria-labelledby="tokens-heading">
      <div className="panel-head">
        <h2 id="tokens-heading">{all ? t('Everybody’s tokens') : t('Your tokens')}</h2>
        <span className="dim">{t('newest first; their secrets are kept nowhere')}</span>
        <span className="grow" />
        {may(session, 'tokens:read') && (
          <Checkbox
            label={t('Show everybody’s')}
            checked={all}
            onChange={(event) => onSearch(event.currentTarget.checked ? { all: true } : {})}
          />
        )}
      </div>
      <QueryStates query={tokens} what={t('The tokens')} skeletonRows={3}>
        {({ pages }) => (
          <TokensTable
            session={session}
            tokens={pages.flatMap((page) => page.items)}
            onRevoke={setRevoking}
          />
        )}
      </QueryStates>
      <NextPage of={tokens}>{t('Show older tokens')}</NextPage>
      {revoking !== null && <RevokeDialog token={revoking} onClose={() => setRevoking(null)} />}
    </section>
  )
}
