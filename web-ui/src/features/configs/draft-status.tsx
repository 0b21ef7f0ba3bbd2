// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { LazyDiffView } from '../../components/code/lazy-code.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { StatusBadge, type Verdict } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import type { Config } from '../../lib/api-types.ts'
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
    return { label: 'Draft not saved', tone: 'bad', shape: 'square' }
  }
  if (draft.dirty) return { label: 'Saving the draft…', tone: 'info', shape: 'half' }
  if (!config.draftChanged && config.latestVersion !== null) {
    return { label: `Same as v${config.latestVersion}`, tone: 'good', shape: 'disc' }
  }
  const beyond =
    config.latestVersion === null ? 'no version yet' : `not in v${config.latestVersion}`
  return { label: `Draft saved, ${beyond}`, tone: 'warn', shape: 'diamond' }
}

/** What went wrong with saving the draft, each with its way on. Nothing typed is ever dropped. */
export function DraftTrouble({ draft }: { draft: DraftHandle }) {
  const narrow = useNarrow()
  if (draft.save.kind === 'failed') {
    return (
      <ErrorBox
        what="The draft was not saved"
        error={draft.save.error}
        onRetry={() => void draft.flush()}
      />
    )
  }
  if (draft.save.kind === 'conflict') {
    const { theirs } = draft.save
    const by = theirs.body.updatedBy ?? 'somebody'
    return (
      <div className="stack-tight">
        <Notice
          tone="bad"
          title={`${by} changed the draft while you were typing`}
          action={
            <div className="row">
              <Button size="xs" variant="default" onClick={draft.takeTheirs}>
                Take {by}’s text
              </Button>
              <Button size="xs" variant="default" onClick={draft.keepMine}>
                Keep mine, replacing {by}’s
              </Button>
            </div>
          }
        >
          Below is {by}’s text against yours. If you take {by}’s, yours is set aside and can be
          brought back.
        </Notice>
        <div className="panel">
          <LazyDiffView
            from={{ label: `${by}’s draft`, text: theirs.body.text }}
            to={{ label: 'Your text', text: draft.text }}
            layout={narrow ? 'unified' : 'side-by-side'}
          />
        </div>
      </div>
    )
  }
  if (draft.setAside === null) return null
  return (
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
  )
}
