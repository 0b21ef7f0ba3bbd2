// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Notice } from '../../../components/notice.tsx'
import { Page } from '../../../components/page.tsx'
import { PlainListenerNotice } from '../../../components/plain-listener-notice.tsx'
import { SkeletonRows } from '../../../components/query-states.tsx'
import { t } from '../../../languages/t.ts'
import type { Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { nodeQuery } from '../api.ts'
import { createTokenMutation, tokensQuery } from './api.ts'
import { JoinCommand } from './join-command.tsx'
import { TokenForm } from './token-form.tsx'
import { TokensPanel } from './tokens-panel.tsx'

export type EnrolmentSearch = { node?: string | undefined }
export type EnrolmentScreenProps = {
  session: Session
  search: EnrolmentSearch
  onSearch: (search: EnrolmentSearch) => void
}

export function EnrolmentScreen({ session, search, onSearch }: EnrolmentScreenProps) {
  const blocked = whyNot(session, 'nodes:enrol')
  return (
    <Page
      title={t('Add a node')}
      meta={t('Run one command on a machine with farmstead-node, and it joins the farm.')}
    >
      {blocked === null ? (
        <>
          <PlainListenerNotice />
          <NewTokenPanel search={search} onSearch={onSearch} />
          <TokensPanel />
        </>
      ) : (
        <Notice tone="info" title={t('You may not add nodes')}>
          {blocked}
        </Notice>
      )}
    </Page>
  )
}

function NewTokenPanel({ search, onSearch }: Omit<EnrolmentScreenProps, 'session'>) {
  const client = useQueryClient()
  const known = useQuery({ ...nodeQuery(search.node ?? ''), enabled: search.node !== undefined })
  const isReading = search.node !== undefined && known.isPending
  const create = useMutation({
    ...createTokenMutation,
    onSuccess: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  })
  return (
    <section className="panel" aria-labelledby="new-token-heading">
      <div className="panel-head">
        <h2 id="new-token-heading">
          {create.data === undefined ? t('One-time token') : t('The command')}
        </h2>
        <span className="grow" />
        {create.data !== undefined && (
          <Button variant="default" size="xs" onClick={() => create.reset()}>
            {t('Make another token')}
          </Button>
        )}
      </div>
      {create.data === undefined ? (
        <div className="panel-body">
          {isReading ? (
            <SkeletonRows rows={4} label={t('The node')} />
          ) : (
            <TokenForm
              known={search.node === undefined ? null : (known.data ?? null)}
              onNode={(node) => onSearch(node === null ? {} : { node })}
              pending={create.isPending}
              error={create.error}
              onCreate={(token) => create.mutate(token)}
            />
          )}
        </div>
      ) : (
        <div className="panel-body">
          <JoinCommand token={create.data} />
        </div>
      )}
    </section>
  )
}
