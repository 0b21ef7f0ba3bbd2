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
        <h2 id="tokens-heading">Tokens</h2>
        <span className="dim">newest first; their secrets are kept nowhere</span>
      </div>
      <QueryStates query={tokens} what="The tokens" skeletonRows={3}>
        {({ pages }) => (
          <Tokens tokens={pages.flatMap((page) => page.items)} onDelete={setDeleting} />
        )}
      </QueryStates>
      <NextPage of={tokens}>Show older tokens</NextPage>
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
      <EmptyState title="No token has been made yet">
        Tokens you make are listed here until you delete them, with how often they were used.
      </EmptyState>
    )
  }
  return (
    <ScrollBox label="Tokens, table">
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">For</th>
            <th scope="col">Valid until</th>
            <th scope="col" className="wide-only">
              Made
            </th>
            <th scope="col">
              <span className="visually-hidden">Delete</span>
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
                <TimeAgo at={token.createdAt} /> by{' '}
                {token.createdBy ?? 'the operator, on the machine'}
              </td>
              <td className="num">
                <Button
                  variant="danger"
                  size="xs"
                  onClick={() => onDelete(token)}
                  aria-label={`Delete the token made ${formatDateTime(token.createdAt)}`}
                >
                  Delete
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
        {token.nodeName ?? 'a known node'}
      </Link>
    )
  }
  if (Object.keys(token.labels).length === 0) return 'New nodes'
  return (
    <span className="row">
      New nodes <Labels labels={token.labels} />
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
      title="Delete this token"
      action="Delete 1 token"
      removal={remove}
      onSure={() => remove.mutate(token.id)}
      onClose={onClose}
    >
      <p>No more nodes can join with it. Nodes that already joined stay: {usesText(token)}.</p>
    </DeleteDialog>
  )
}
