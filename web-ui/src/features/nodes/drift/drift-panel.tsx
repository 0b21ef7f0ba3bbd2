// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { LazyCodeView, LazyDiffView } from '../../../components/code/lazy-code.tsx'
import { ConfigErrors } from '../../../components/config-errors.tsx'
import { Digest } from '../../../components/digest.tsx'
import { Notice } from '../../../components/notice.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { useNarrow } from '../../../hooks/use-narrow.ts'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { DriftAnswer, DriftDetail, Node, Session } from '../../../lib/api-types.ts'
import { formatBytes } from '../../../lib/format.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { driftQuery } from '../api.ts'
import { DecisionNotice } from './decision-notice.tsx'
import { AdoptDialog, DiscardDialog } from './drift-dialogs.tsx'
import { type Drift, driftVerdict, driftWords, whyNotAdopt } from './drift-rules.ts'

export type DriftPanelProps = { node: Node; drift: Drift; session: Session }

/** What somebody changed on the node's machine, beside what it was given, and what to do about it. */
export function DriftPanel({ node, drift, session }: DriftPanelProps) {
  const detail = useQuery(driftQuery(node.id, drift.digest))
  const [asking, setAsking] = useState<'adopt' | 'discard' | null>(null)
  const [adopted, setAdopted] = useState<DriftAnswer['version']>(null)
  const config = node.sync.desired?.version?.config ?? null
  const close = () => setAsking(null)
  return (
    <section className="panel" aria-labelledby="drift-heading">
      <div className="panel-head">
        <h2 id="drift-heading">{t('Changed on its machine')}</h2>
        <StatusBadge verdict={driftVerdict(drift)} />
        <span className="grow" />
        <span className="dim">
          <T
            text="since {since}, {sizeBytes}"
            since={<TimeAgo at={drift.since} />}
            sizeBytes={formatBytes(drift.sizeBytes)}
          />
        </span>
        <Digest value={drift.digest} />
      </div>
      <div className="panel-body stack">
        <p>{driftWords(node.name, drift)}</p>
        {drift.errors.length > 0 && (
          <Notice
            tone="bad"
            title={t('{errors, plural, one {# error} other {# errors}} in it', {
              errors: drift.errors.length,
            })}
          >
            <ConfigErrors config={null} errors={drift.errors} />
          </Notice>
        )}
        <DecisionNotice node={node} decision={drift.decision} adopted={adopted} />
        <div className="row">
          <ActionButton
            blockedBy={
              whyNot(session, 'nodes:write') ??
              whyNot(session, 'configs:write') ??
              whyNotAdopt(node, drift)
            }
            onClick={() => setAsking('adopt')}
          >
            {t('Keep it as a new version')}
          </ActionButton>
          <ActionButton
            variant="default"
            blockedBy={whyNot(session, 'nodes:write')}
            onClick={() => setAsking('discard')}
          >
            {t('Discard it')}
          </ActionButton>
        </div>
      </div>
      <QueryStates query={detail} what={t('The changed text')} skeletonRows={6}>
        {(data) => <DriftText name={node.name} detail={data} />}
      </QueryStates>
      {asking === 'adopt' && (
        <AdoptDialog
          node={node}
          digest={drift.digest}
          config={config}
          onAdopted={setAdopted}
          onClose={close}
        />
      )}
      {asking === 'discard' && <DiscardDialog node={node} digest={drift.digest} onClose={close} />}
    </section>
  )
}

function DriftText({ name, detail }: { name: string; detail: DriftDetail }) {
  const narrow = useNarrow()
  const { text, assignedText } = detail
  if (assignedText === null)
    return <LazyCodeView text={text} label={t('Changed text on {name}', { name })} />
  return (
    <LazyDiffView
      from={{ label: t('Assigned'), text: assignedText }}
      to={{ label: t('On {name}’s machine', { name }), text }}
      layout={narrow ? 'unified' : 'side-by-side'}
    />
  )
}
