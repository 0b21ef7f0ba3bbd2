// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge, type Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Session, User } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { usersQuery } from './api.ts'
import { EditUserDialog } from './edit-user-dialog.tsx'
import { NewUserDialog } from './new-user-dialog.tsx'

type Open = { kind: 'new' } | { kind: 'edit'; user: User } | null

export function UsersScreen({ session }: { session: Session }) {
  const blocked = whyNot(session, 'users:read')
  if (blocked === null) return <Users session={session} />
  return (
    <Page width="list" title={t('Users')}>
      <Notice tone="info" title={t('You may not see users')}>
        {blocked}
      </Notice>
    </Page>
  )
}

function Users({ session }: { session: Session }) {
  const users = useInfiniteQuery(usersQuery)
  const [open, setOpen] = useState<Open>(null)
  const blockedBy = whyNot(session, 'users:write')
  return (
    <Page width="list" title={t('Users')}>
      <ActionButton blockedBy={blockedBy} onClick={() => setOpen({ kind: 'new' })}>
        {t('Add a user')}
      </ActionButton>
      <section className="panel" aria-label={t('Users')}>
        <QueryStates query={users} what={t('The users')} skeletonRows={3}>
          {({ pages }) => (
            <UsersTable
              users={pages.flatMap((page) => page.items)}
              onEdit={blockedBy === null ? (user) => setOpen({ kind: 'edit', user }) : null}
            />
          )}
        </QueryStates>
        <NextPage of={users}>{t('Show more users')}</NextPage>
      </section>
      {open?.kind === 'new' && <NewUserDialog onClose={() => setOpen(null)} />}
      {open?.kind === 'edit' && (
        <EditUserDialog
          user={open.user}
          isSelf={open.user.id === session.user.id}
          onClose={() => setOpen(null)}
        />
      )}
    </Page>
  )
}

function verdictOf({ disabled, passwordChangeRequired }: User): Verdict {
  if (disabled) return { label: t('Disabled'), tone: 'idle', shape: 'ring' }
  if (passwordChangeRequired)
    return { label: t('Has not signed in yet'), tone: 'info', shape: 'ring' }
  return { label: t('May sign in'), tone: 'good', shape: 'disc' }
}

type TableProps = { users: User[]; onEdit: ((user: User) => void) | null }

function UsersTable({ users, onEdit }: TableProps) {
  return (
    <ScrollBox label={t('Users, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Name')}</th>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('Roles')}</th>
            <th scope="col" className="wide-only">
              {t('For')}
            </th>
            <th scope="col" className="wide-only">
              {t('Second factor')}
            </th>
            {onEdit && (
              <th scope="col">
                <span className="visually-hidden">{t('Change')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id}>
              <td>{user.username}</td>
              <td>
                <StatusBadge verdict={verdictOf(user)} />
              </td>
              <td>{user.roles.join(', ')}</td>
              <td className="wide-only">
                {user.scope === null ? t('the whole farm') : <code>{user.scope}</code>}
              </td>
              <td className="wide-only">{user.secondFactor ? t('on') : t('off')}</td>
              {onEdit && (
                <td className="num">
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => onEdit(user)}
                    aria-label={t('Change {username}', { username: user.username })}
                  >
                    {t('Change')}
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
