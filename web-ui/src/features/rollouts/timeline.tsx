// SPDX-License-Identifier: MIT
// What happened to a rollout, from the audit: what people and the engine did, newest first. The steps
// of single nodes are counted only, for the table of nodes has them.

import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { NextPage } from '../../components/next-page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { AuditEntry, Rollout, Session } from '../../lib/api-types.ts'
import { nodeNameQuery } from '../../lib/name-queries.ts'
import { whyNot } from '../../lib/permissions.ts'
import { timelineEntryQuery, timelineQuery } from './api.ts'
import classes from './rollouts.module.css'
import { entryCause, entryTitle, timelineParts } from './timeline-rules.ts'

export function Timeline({ rollout, session }: { rollout: Rollout; session: Session }) {
  const blocked = whyNot(session, 'audit:read')
  return (
    <section className="panel" aria-labelledby="timeline-heading">
      <div className="panel-head">
        <h2 id="timeline-heading">{t('History')}</h2>
        <span className="dim">{t('newest first')}</span>
      </div>
      {blocked === null ? (
        <Entries rollout={rollout} />
      ) : (
        <p className="panel-body dim">{blocked}</p>
      )}
    </section>
  )
}

function Entries({ rollout: { id } }: { rollout: Rollout }) {
  const timeline = useInfiniteQuery(timelineQuery(id))
  return (
    <>
      <QueryStates query={timeline} what={t('The history')} skeletonRows={4}>
        {({ pages }) => (
          <ol className={classes.timeline}>
            {timelineParts(pages.flatMap((page) => page.items)).map((part) => (
              <li key={part.key}>
                {part.entry === null ? (
                  <span className="dim">
                    {t('{nodeSteps, plural, one {# step} other {# steps}} of nodes', {
                      nodeSteps: part.nodeSteps,
                    })}
                  </span>
                ) : (
                  <Entry entry={part.entry} />
                )}
              </li>
            ))}
          </ol>
        )}
      </QueryStates>
      <NextPage of={timeline}>{t('Look further back')}</NextPage>
    </>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div className="row">
        <strong>{entryTitle(entry.action)}</strong>
        <span className="dim">
          <TimeAgo at={entry.at} />
          {entry.actor !== null && <T text=", by {actor}" actor={<Actor id={entry.actor} />} />}
        </span>
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={isOpen}
          aria-label={
            isOpen
              ? t('Hide why: {entryTitle}', { entryTitle: entryTitle(entry.action) })
              : t('Show why: {entryTitle}', { entryTitle: entryTitle(entry.action) })
          }
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? t('Hide') : t('Why')}
        </Button>
        <Link to="/audit/$id" params={{ id: String(entry.id) }}>
          {t('Entry {id}', { id: entry.id })}
        </Link>
      </div>
      {isOpen && <Why id={entry.id} />}
    </>
  )
}

/** A person, or a node, of which the audit has the id. */
function Actor({ id }: { id: string }) {
  const isNode = id.startsWith('node_')
  const name = useQuery({ ...nodeNameQuery(id), enabled: isNode })
  if (!isNode) return id
  return (
    <Link to="/nodes/$id" params={{ id }}>
      {name.data ?? id}
    </Link>
  )
}

function Why({ id }: { id: number }) {
  const detail = useQuery(timelineEntryQuery(id))
  return (
    <QueryStates query={detail} what={t('The entry')} skeletonRows={1}>
      {({ data }) => <p>{entryCause(data)}</p>}
    </QueryStates>
  )
}
