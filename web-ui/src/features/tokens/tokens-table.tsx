// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { EmptyState } from '../../components/empty-state.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useNow } from '../../hooks/use-now.ts'
import { t } from '../../languages/t.ts'
import type { Session, Token } from '../../lib/api-types.ts'
import { formatDateTime } from '../../lib/time.ts'
import { carries, tokenVerdict, whyNotRevoke } from './rules.ts'

export type TokensTableProps = {
  session: Session
  tokens: Token[]
  onRevoke: (token: Token) => void
}

export function TokensTable({ session, tokens, onRevoke }: TokensTableProps) {
  const now = useNow()
  if (tokens.length === 0) {
    return (
      <EmptyState title={t('No token yet')}>
        {t('A program that calls the API needs one. It carries part of what you may.')}
      </EmptyState>
    )
  }
  return (
    <ScrollBox label={t('Tokens, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Name')}</th>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('May')}</th>
            <th scope="col">{t('Last used')}</th>
            <th scope="col" className="wide-only">
              {t('Good until')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('Revoke')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td>
                {token.name}
                <div className="dim">
                  {token.user.username}
                  {token.madeWith !== null && t(', made with another token')}
                </div>
              </td>
              <td>
                <StatusBadge verdict={tokenVerdict(token, now)} />
              </td>
              <td title={token.permissions?.join(', ')}>{carries(token)}</td>
              <td>
                <LastUse token={token} />
              </td>
              <td className="wide-only">{formatDateTime(token.expiresAt)}</td>
              <td className="num">
                <Revoke blockedBy={whyNotRevoke(session, token)} {...{ token, onRevoke }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function LastUse({ token: { lastUsedAt, lastUsedFrom } }: { token: Token }) {
  if (lastUsedAt === null) return <span className="dim">{t('Never')}</span>
  return (
    <>
      <TimeAgo at={lastUsedAt} />
      <div className="dim">{t('from {lastUsedFrom}', { lastUsedFrom })}</div>
    </>
  )
}

type RevokeProps = { token: Token; blockedBy: string | null; onRevoke: (token: Token) => void }

function Revoke({ token, blockedBy, onRevoke }: RevokeProps) {
  if (blockedBy !== null) return <span className="dim">{blockedBy}</span>
  return (
    <Button
      variant="danger"
      size="xs"
      onClick={() => onRevoke(token)}
      aria-label={t('Revoke {name}', { name: token.name })}
    >
      {t('Revoke')}
    </Button>
  )
}
