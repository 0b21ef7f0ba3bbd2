// SPDX-License-Identifier: MIT

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ActionButton } from '../../components/action-button.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Figures } from '../../components/figures.tsx'
import { Quantity } from '../../components/quantity.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { NeighboursNow, Session } from '../../lib/api-types.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { whyNot } from '../../lib/permissions.ts'
import { neighboursNowQuery, trustMutation } from './api.ts'
import classes from './neighbours.module.css'

export function NowPanel({ now, session }: { now: NeighboursNow; session: Session }) {
  return (
    <section className="panel" aria-labelledby="neighbours-now">
      <div className="panel-head">
        <h2 id="neighbours-now">{t('Now')}</h2>
      </div>
      <div className="panel-body stack">
        <Figures
          size="small"
          figures={[
            { name: t('Nodes that give'), value: formatCount(now.giving) },
            { name: t('Take from others'), value: formatCount(now.taking) },
            { name: t('Wait for one'), value: formatCount(now.waiting) },
            { name: t('Fetch from here'), value: formatCount(now.fetching) },
            {
              name: t('Taken from neighbours'),
              value: <Quantity of={now.takenBytes} as={formatBytes} />,
            },
          ]}
        />
        {now.distrusted.length > 0 && <Distrusted now={now} session={session} />}
      </div>
    </section>
  )
}

function Distrusted({
  now: { distrusted, moreDistrusted },
  session,
}: Parameters<typeof NowPanel>[0]) {
  const client = useQueryClient()
  const trust = useMutation({
    ...trustMutation,
    onSuccess: () => client.invalidateQueries(neighboursNowQuery),
  })
  return (
    <>
      <h3>{t('Not trusted')}</h3>
      <p className="dim">
        {t(
          'These gave other bytes than the release has. Nothing of it was kept, and no node is sent to them. Look at their disk and memory before you trust them again.',
        )}
      </p>
      <ul className={classes.distrusted}>
        {distrusted.map(({ node, toldBy, at }) => (
          <li key={node.id} className="row">
            <span>
              <T
                text="{node} gave wrong bytes to {other}, {at}"
                node={
                  <Link to="/nodes/$id" params={{ id: node.id }}>
                    <strong>{node.name}</strong>
                  </Link>
                }
                other={toldBy.name}
                at={<TimeAgo at={at} />}
              />
            </span>
            <ActionButton
              size="xs"
              variant="default"
              loading={trust.isPending && trust.variables === node.id}
              blockedBy={whyNot(session, 'nodes:write')}
              onClick={() => trust.mutate(node.id)}
            >
              {t('Trust {name} again', { name: node.name })}
            </ActionButton>
          </li>
        ))}
      </ul>
      {moreDistrusted > 0 && (
        <p className="dim">{t('And {more} more.', { more: formatCount(moreDistrusted) })}</p>
      )}
      {trust.isError && <ErrorBox what={t('It is still not trusted')} error={trust.error} />}
    </>
  )
}
