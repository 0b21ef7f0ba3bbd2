// SPDX-License-Identifier: MIT
// Whether nodes of one zone give each other releases, how that stands now, and whom nobody trusts with it.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import type { Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { neighboursNowQuery, neighboursQuery } from './api.ts'
import { NeighboursForm } from './neighbours-form.tsx'
import { NowPanel } from './now-panel.tsx'

export function NeighboursScreen({ session }: { session: Session }) {
  const tagged = useQuery(neighboursQuery)
  const now = useQuery(neighboursNowQuery)
  // Here, not in the form: that begins anew with what was saved.
  const [hasSaved, setSaved] = useState(false)
  return (
    <Page
      width="text"
      title={t('Neighbours')}
      meta={t(
        'Nodes of one zone can give each other the files of releases, so that each leaves the control plane about once for a zone.',
      )}
    >
      <QueryStates query={tagged} what={t('The setting')} skeletonRows={4}>
        {({ body, etag }) => (
          <>
            {body.zoneLabel === null && (
              <Notice tone="info" title={t('Neighbours are off')}>
                {t('All nodes fetch releases from the control plane.')}
              </Notice>
            )}
            <NeighboursForm
              key={etag}
              before={body}
              etag={etag}
              hasSaved={hasSaved}
              onSaved={setSaved}
              blockedBy={whyNot(session, 'rollouts:rules')}
            />
          </>
        )}
      </QueryStates>
      <QueryStates query={now} what={t('How it stands now')} skeletonRows={2}>
        {(found) => <NowPanel now={found} session={session} />}
      </QueryStates>
    </Page>
  )
}
