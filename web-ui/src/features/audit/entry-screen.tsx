// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { LazyDiffView } from '../../components/code/lazy-code.tsx'
import { Facts } from '../../components/facts.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import { t } from '../../languages/t.ts'
import type { AuditDetail } from '../../lib/api-types.ts'
import { actorText } from '../../lib/people-words.ts'
import { formatDateTime } from '../../lib/time.ts'
import { auditEntryQuery } from './api.ts'
import classes from './audit.module.css'
import { ObjectLink } from './object-link.tsx'
import { actionText, changeOf, restOf } from './rules.ts'

export function EntryScreen({ id }: { id: number }) {
  const entry = useQuery(auditEntryQuery(id))
  return (
    <Page
      title={entry.data === undefined ? t('Entry {id}', { id }) : actionText(entry.data)}
      meta={t('Entry {id} of the audit', { id })}
    >
      <QueryStates query={entry} what={t('The entry')} skeletonRows={8}>
        {(detail) => (
          <>
            <section className="panel" aria-label={t('The entry')}>
              <div className="panel-body">
                <Facts facts={factsOf(detail)} />
              </div>
            </section>
            <ChangePanel detail={detail} />
            <DetailsPanel detail={detail} />
          </>
        )}
      </QueryStates>
    </Page>
  )
}

const vias: Record<string, string> = {
  session: t('the console or the API, signed in'),
  token: t('an API token'),
  operator: t('a command on the control plane’s machine'),
  agent: t('the node’s agent'),
  service: t('by itself'),
}

function factsOf(detail: AuditDetail) {
  const { address, requestId, tokenId, hash, previousHash } = detail
  return [
    { name: t('When'), value: formatDateTime(detail.at) },
    { name: t('To'), value: <ObjectLink entry={detail} /> },
    { name: t('Who'), value: actorText(detail) },
    { name: t('Through'), value: vias[detail.via] ?? detail.via },
    ...optional(t('From'), address),
    ...optional(t('Token'), tokenId),
    ...optional(t('Request'), requestId),
    { name: t('Hash'), value: <code className={classes.hash}>{hash}</code> },
    { name: t('After'), value: <code className={classes.hash}>{previousHash}</code> },
  ]
}

const optional = (name: string, value: string | null) =>
  value === null ? [] : [{ name, value: <code>{value}</code> }]

function ChangePanel({ detail }: { detail: AuditDetail }) {
  const narrow = useNarrow()
  const change = changeOf(detail)
  if (change === null) return null
  return (
    <section className="panel" aria-labelledby="change-heading">
      <div className="panel-head">
        <h2 id="change-heading">{t('What changed')}</h2>
      </div>
      <LazyDiffView
        from={{ label: t('Before'), text: change.before }}
        to={{ label: t('After'), text: change.after }}
        layout={narrow ? 'unified' : 'side-by-side'}
      />
    </section>
  )
}

function DetailsPanel({ detail }: { detail: AuditDetail }) {
  const rest = restOf(detail)
  if (Object.keys(rest).length === 0) return null
  return (
    <section className="panel" aria-labelledby="details-heading">
      <div className="panel-head">
        <h2 id="details-heading">{t('Details')}</h2>
      </div>
      <div className="panel-body">
        <pre className={classes.details}>{JSON.stringify(rest, null, 2)}</pre>
      </div>
    </section>
  )
}
