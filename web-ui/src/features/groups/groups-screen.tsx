// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { NewRolloutButton } from '../../components/new-rollout-button.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import type { Group, Session } from '../../lib/api-types.ts'
import { may, whyNot } from '../../lib/permissions.ts'
import { groupsQuery, orderQuery, putOrderMutation } from './api.ts'
import { DeleteGroupDialog } from './delete-dialog.tsx'
import { GroupDialog } from './group-dialog.tsx'
import classes from './groups.module.css'
import { moved, rolloutTo } from './rules.ts'

/** What is open over the page. */
type Open = { kind: 'new' } | { kind: 'edit' | 'delete'; name: string } | null

export function GroupsScreen({ session }: { session: Session }) {
  const groups = useQuery(groupsQuery)
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const blocked = whyNot(session, 'groups:write')
  return (
    <Page
      width="list"
      title={t('Groups')}
      meta={t(
        'A node belongs to the first group, from the top, whose selector matches its labels.',
      )}
      actions={
        <ActionButton
          variant="default"
          blockedBy={blocked}
          onClick={() => setOpen({ kind: 'new' })}
        >
          {t('New group')}
        </ActionButton>
      }
    >
      <div className="panel">
        <QueryStates query={groups} what={t('The groups')} skeletonRows={4}>
          {(all) => (
            <GroupsTable groups={all} blocked={blocked} session={session} onOpen={setOpen} />
          )}
        </QueryStates>
      </div>
      {open?.kind === 'new' && <GroupDialog name={null} onClose={close} />}
      {open?.kind === 'edit' && <GroupDialog name={open.name} onClose={close} />}
      {open?.kind === 'delete' && <DeleteGroupDialog name={open.name} onClose={close} />}
    </Page>
  )
}

const columns: Column[] = [
  { title: t('Group') },
  { title: t('Selector') },
  { title: t('Config') },
  { title: t('Override') },
  { title: t('Removes silent nodes') },
  { title: t('Nodes') },
  { title: t('Change') },
]
const keyOf = ({ name }: Group) => name
/** About as high as a row with its buttons and its description. */
const ROW_PX = 52

type TableProps = {
  groups: Group[]
  blocked: string | null
  session: Session
  onOpen: (open: Open) => void
}

function GroupsTable({ groups, blocked, session, onOpen }: TableProps) {
  const client = useQueryClient()
  const order = useQuery(orderQuery)
  const put = useMutation({
    ...putOrderMutation,
    onSettled: () => client.invalidateQueries({ queryKey: ['groups'] }),
  })
  const names = order.data?.body.names ?? []
  const move = (name: string, by: -1 | 1) => {
    const next = moved(names, name, by)
    if (next && order.data) put.mutate({ names: next, etag: order.data.etag })
  }
  return (
    <>
      {put.isError && <ErrorBox what={t('The order was not changed')} error={put.error} />}
      <LongTable
        label={t('Groups, table')}
        columns={columns}
        rows={groups}
        keyOf={keyOf}
        rowPx={ROW_PX}
      >
        {(group) => (
          <>
            <td className={classes.group}>
              <strong>{group.name}</strong>
              {group.description !== '' && <div className="dim">{group.description}</div>}
            </td>
            <td className="nowrap">
              {group.selector === '' ? t('all others') : <code>{group.selector}</code>}
            </td>
            <td className="nowrap">
              {group.config ?? <span className="dim">{t('none of its own')}</span>}
            </td>
            <td>{membersText(group.mergePatch)}</td>
            <td className="nowrap">
              {group.forgetAfterHours === null ? (
                <span className="dim">{t('never')}</span>
              ) : (
                t('after {forgetAfterHours} h', { forgetAfterHours: group.forgetAfterHours })
              )}
            </td>
            <td className="nowrap">
              <Link to="/nodes" search={{ group: group.name }}>
                {t('{nodes, plural, one {# node} other {# nodes}}', { nodes: group.nodes })}
              </Link>
            </td>
            <td>
              <span className={classes.actions}>
                {may(session, 'rollouts:run') && (
                  <NewRolloutButton
                    size="xs"
                    variant="default"
                    aria-label={t('New rollout to {name}', { name: group.name })}
                    session={session}
                    {...rolloutTo(group, groups)}
                  />
                )}
                {!group.isDefault && names.length > 1 && blocked === null && (
                  <>
                    <Button
                      variant="subtle"
                      size="xs"
                      aria-label={t('Ask {name} earlier', { name: group.name })}
                      disabled={moved(names, group.name, -1) === null}
                      onClick={() => move(group.name, -1)}
                    >
                      ↑
                    </Button>
                    <Button
                      variant="subtle"
                      size="xs"
                      aria-label={t('Ask {name} later', { name: group.name })}
                      disabled={moved(names, group.name, 1) === null}
                      onClick={() => move(group.name, 1)}
                    >
                      ↓
                    </Button>
                  </>
                )}
                <ActionButton
                  variant="default"
                  size="xs"
                  aria-label={t('Edit {name}', { name: group.name })}
                  blockedBy={blocked}
                  onClick={() => onOpen({ kind: 'edit', name: group.name })}
                >
                  {t('Edit')}
                </ActionButton>
                {!group.isDefault && (
                  <ActionButton
                    variant="danger"
                    size="xs"
                    aria-label={t('Remove {name}', { name: group.name })}
                    blockedBy={blocked}
                    onClick={() => onOpen({ kind: 'delete', name: group.name })}
                  >
                    {t('Remove')}
                  </ActionButton>
                )}
              </span>
            </td>
          </>
        )}
      </LongTable>
    </>
  )
}

const membersText = (mergePatch: Record<string, unknown>) =>
  Object.keys(mergePatch).join(', ') || t('none')
