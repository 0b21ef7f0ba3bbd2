// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { StatusBadge, type Verdict } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
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
          edited by {updatedBy} <TimeAgo at={updatedAt} />
        </span>
      )}
    </span>
  )
}

function verdictOf(draft: DraftHandle, config: Config): Verdict {
  if (draft.save.kind === 'conflict') {
    return { label: 'Draft not saved: changed by two', tone: 'bad', shape: 'square' }
  }
  if (draft.save.kind === 'failed') {
    const label = draft.save.retryMs === null ? 'Draft not saved' : 'Draft not saved, trying again'
    return { label, tone: 'bad', shape: 'square' }
  }
  if (draft.unresolved.length > 0) {
    return { label: 'Draft not saved: conflicts left', tone: 'warn', shape: 'triangle' }
  }
  if (draft.dirty) return { label: 'Saving the draft…', tone: 'info', shape: 'half' }
  if (!config.draftChanged && config.latestVersion !== null) {
    return { label: `Same as v${config.latestVersion}`, tone: 'good', shape: 'disc' }
  }
  const beyond =
    config.latestVersion === null ? 'no version yet' : `not in v${config.latestVersion}`
  return { label: `Draft saved, ${beyond}`, tone: 'warn', shape: 'diamond' }
}

const notSaved = (retryMs: number | null) =>
  retryMs === null
    ? 'The draft was not saved'
    : 'The draft was not saved; trying again automatically'

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
          title="Your text was set aside"
          action={
            <Button size="xs" variant="default" onClick={draft.bringBack}>
              Bring it back
            </Button>
          }
        >
          It is kept while this editor is open.
        </Notice>
      )}
    </>
  )
}
