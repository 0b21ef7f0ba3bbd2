// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { DeleteDialog } from '../../../components/delete-dialog.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { NextPage } from '../../../components/next-page.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { ScrollBox } from '../../../components/scroll-box.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { EnrolmentToken } from '../../../lib/api-types.ts'
import { formatDateTime } from '../../../lib/time.ts'
import { Labels } from '../node-cells.tsx'
import { deleteTokenMutation, tokensQuery } from './api.ts'
import { tokenVerdict, usesText } from './token-rules.ts'

export function TokensPanel() {
  const tokens = useInfiniteQuery(tokensQuery)
  const [deleting, setDeleting] = useState<EnrolmentToken | null>(null)
  return (
    <section className="panel" aria-labelledby="tokens-heading">
      <div className="panel-head">
        <h2 id="tokens-heading">{t('Tokens')}</h2>
        <span className="dim">{t('newest first; their secrets are kept nowhere')}</span>
      </div>
      <QueryStates query={tokens} what={t('The tokens')} skeletonRows={3}>
        {({ pages }) => (
          <Tokens tokens={pages.flatMap((page) => page.items)} onDelete={setDeleting} />
        )}
      </QueryStates>
      <NextPage of={tokens}>{t('Show older tokens')}</NextPage>
      {deleting !== null && (
        <DeleteTokenDialog token={deleting} onClose={() => setDeleting(null)} />
      )}
    </section>
  )
}

type TokensProps = { tokens: EnrolmentToken[]; onDelete: (token: EnrolmentToken) => void }

function Tokens({ tokens, onDelete }: TokensProps) {
  const now = useNow()
  if (tokens.length === 0) {
    return (
      <EmptyState title={t('No token has been made yet')}>
        {t('Tokens you make are listed here until you delete them, with how often they were used.')}
      </EmptyState>
    )
  }
  return (
    <ScrollBox label={t('Tokens, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('For')}</th>
            <th scope="col">{t('Valid until')}</th>
            <th scope="col" className="wide-only">
              {t('Made')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('Delete')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td>
                <StatusBadge verdict={tokenVerdict(token, now)} />
              </td>
              <td>
                <For token={token} />
                <div className="dim">{usesText(token)}</div>
              </td>
              <td>{formatDateTime(token.expiresAt)}</td>
              <td className="wide-only">
                <T
                  text="{createdAt} by {createdBy}"
                  createdAt={<TimeAgo at={token.createdAt} />}
                  createdBy={token.createdBy ?? t('the operator, on the machine')}
                />
              </td>
              <td className="num">
                <Button
                  variant="danger"
                  size="xs"
                  onClick={() => onDelete(token)}
                  aria-label={t('Delete the token made {createdAt}', {
                    createdAt: formatDateTime(token.createdAt),
                  })}
                >
                  {t('Delete')}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function For({ token }: { token: EnrolmentToken }) {
  if (token.nodeId !== null) {
    return (
      <Link to="/nodes/$id" params={{ id: token.nodeId }}>
        {token.nodeName ?? t('a known node')}
      </Link>
    )
  }
  if (Object.keys(token.labels).length === 0) return t('New nodes')
  return (
    <span className="row">
      <T text="New nodes {labels}" labels={<Labels labels={token.labels} />} />
    </span>
  )
}

function DeleteTokenDialog({ token, onClose }: { token: EnrolmentToken; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    ...deleteTokenMutation,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: tokensQuery.queryKey })
      onClose()
    },
  })
  return (
    <DeleteDialog
      title={t('Delete this token')}
      action={t('Delete 1 token')}
      removal={remove}
      onSure={() => remove.mutate(token.id)}
      onClose={onClose}
    >
      <p>
        {t('No more nodes can join with it. Nodes that already joined stay: {usesText}.', {
          usesText: usesText(token),
        })}
      </p>
    </DeleteDialog>
  )
}
