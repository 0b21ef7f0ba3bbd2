// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { StatusBadge, type Verdict } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Config } from '../../lib/api-types.ts'
import { ConflictsToResolve } from './conflicts-to-resolve.tsx'
import { DraftConflictNotice } from './draft-conflict-notice.tsx'
import type { DraftHandle } from './use-draft.ts'

export function DraftStatus({ draft, config }: { draft: DraftHandle; config: Config }) {
  const { updatedBy, updatedAt } = draft.saved.body
  return (
    <span className="row">
      <span role="status">
        <StatusBadge verdict={verdictOf(draft, config)} />
      </span>
      {updatedBy !== null && (
        <span className="dim">
          <T
            text="edited by {updatedBy} {updatedAt}"
            updatedBy={updatedBy}
            updatedAt={<TimeAgo at={updatedAt} />}
          />
        </span>
      )}
    </span>
  )
}

function verdictOf(draft: DraftHandle, config: Config): Verdict {
  if (draft.save.kind === 'conflict') {
    return { label: t('Draft not saved: changed by two'), tone: 'bad', shape: 'square' }
  }
  if (draft.save.kind === 'failed') {
    const label =
      draft.save.retryMs === null ? t('Draft not saved') : t('Draft not saved, trying again')
    return { label, tone: 'bad', shape: 'square' }
  }
  if (draft.unresolved.length > 0) {
    return { label: t('Draft not saved: conflicts left'), tone: 'warn', shape: 'triangle' }
  }
  if (draft.dirty) return { label: t('Saving the draft…'), tone: 'info', shape: 'half' }
  if (!config.draftChanged && config.latestVersion !== null) {
    return {
      label: t('Same as v{latestVersion}', { latestVersion: config.latestVersion }),
      tone: 'good',
      shape: 'disc',
    }
  }
  const beyond =
    config.latestVersion === null
      ? t('no version yet')
      : t('not in v{latestVersion}', { latestVersion: config.latestVersion })
  return { label: t('Draft saved, {beyond}', { beyond }), tone: 'warn', shape: 'diamond' }
}

const notSaved = (retryMs: number | null) =>
  retryMs === null
    ? t('The draft was not saved')
    : t('The draft was not saved; trying again automatically')

export type DraftTroubleProps = {
  draft: DraftHandle
  me: string
  /** For a change that can be undone. */
  onChange: (text: string) => void
  onShowLine: (line: number) => void
}

/** What went wrong with saving the draft, each with its way on. Nothing typed is ever dropped. */
export function DraftTrouble({ draft, me, onChange, onShowLine }: DraftTroubleProps) {
  if (draft.save.kind === 'failed') {
    return (
      <ErrorBox
        what={notSaved(draft.save.retryMs)}
        error={draft.save.error}
        onRetry={() => void draft.flush()}
      />
    )
  }
  if (draft.save.kind === 'conflict')
    return <DraftConflictNotice draft={draft} save={draft.save} me={me} />
  return (
    <>
      {draft.unresolved.length > 0 && (
        <ConflictsToResolve draft={draft} onChange={onChange} onShowLine={onShowLine} />
      )}
      {draft.setAside !== null && (
        <Notice
          tone="info"
          live
          title={t('Your text was set aside')}
          action={
            <Button size="xs" variant="default" onClick={draft.bringBack}>
              {t('Bring it back')}
            </Button>
          }
        >
          {t('It is kept while this editor is open.')}
        </Notice>
      )}
    </>
  )
}
