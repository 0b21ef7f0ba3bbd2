// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ErrorBox } from '../../components/error-box.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { OwnSession } from '../../lib/api-types.ts'
import { endOtherSessionsMutation, endSessionMutation, ownSessionsQuery } from './api.ts'

export function OwnSessionsPanel() {
  const sessions = useQuery(ownSessionsQuery)
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: ownSessionsQuery.queryKey })
  const end = useMutation({ ...endSessionMutation, onSuccess })
  const endOthers = useMutation({ ...endOtherSessionsMutation, onSuccess })
  return (
    <section className="panel" aria-labelledby="sessions-heading">
      <div className="panel-head">
        <h2 id="sessions-heading">{t('Where you are signed in')}</h2>
      </div>
      {(end.error ?? endOthers.error) && (
        <div className="panel-body">
          <ErrorBox what={t('Not ended')} error={end.error ?? endOthers.error} />
        </div>
      )}
      <QueryStates query={sessions} what={t('Your sessions')} skeletonRows={2}>
        {({ items }) => (
          <>
            <SessionsTable sessions={items} onEnd={(id) => end.mutate(id)} />
            {items.length > 1 && (
              <div className="panel-body">
                <Button
                  variant="default"
                  loading={endOthers.isPending}
                  onClick={() => endOthers.mutate()}
                >
                  {t('End all but this session')}
                </Button>
              </div>
            )}
          </>
        )}
      </QueryStates>
    </section>
  )
}

type TableProps = { sessions: OwnSession[]; onEnd: (id: string) => void }

function SessionsTable({ sessions, onEnd }: TableProps) {
  return (
    <ScrollBox label={t('Your sessions, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Since')}</th>
            <th scope="col">{t('From')}</th>
            <th scope="col" className="wide-only">
              {t('With')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('End')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sessions.map(({ id, signedInAt, address, userAgent, current }) => (
            <tr key={id}>
              <td>
                <TimeAgo at={signedInAt} />
              </td>
              <td>{address ?? t('not known')}</td>
              <td className="wide-only">{userAgent ?? t('not known')}</td>
              <td className="num">
                {current ? (
                  t('This session')
                ) : (
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => onEnd(id)}
                    aria-label={t('End the session from {address}', {
                      address: address ?? t('an unknown place'),
                    })}
                  >
                    {t('End')}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
