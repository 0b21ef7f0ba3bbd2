// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { LazyDiffView } from '../../components/code/lazy-code.tsx'
import { Notice } from '../../components/notice.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import type { DraftConflict } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import type { DraftHandle, SaveState } from './use-draft.ts'

export type DraftConflictNoticeProps = {
  draft: DraftHandle
  save: Extract<SaveState, { kind: 'conflict' }>
  /** The name of who looks at this. */
  me: string
}

/** Two people typed on one draft: what the other did, and the three ways on. */
export function DraftConflictNotice({ draft, save, me }: DraftConflictNoticeProps) {
  const narrow = useNarrow()
  const { theirs, meanwhile } = save
  const { updatedBy } = theirs.body
  const isOwn = updatedBy === me
  const by = isOwn ? 'your other tab' : (updatedBy ?? 'somebody')
  return (
    <div className="stack-tight">
      <Notice
        tone="bad"
        title={
          isOwn
            ? 'You changed the draft elsewhere, as in another tab'
            : `${by} changed the draft while you were typing`
        }
        action={
          <div className="row">
            {meanwhile.merged !== null && (
              <Button size="xs" onClick={draft.merge}>
                {mergeLabel(meanwhile.merged.conflicts.length)}
              </Button>
            )}
            <Button size="xs" variant="default" onClick={draft.takeTheirs}>
              Take {by}’s text
            </Button>
            <Button size="xs" variant="default" onClick={draft.keepMine}>
              Keep mine on top, replacing {by}’s
            </Button>
          </div>
        }
      >
        <Meanwhile meanwhile={meanwhile} />
        Below is {by}’s text against {isOwn ? 'this one’s' : 'yours'}. If you take {by}’s or merge,
        yours is set aside and can be brought back.
        {meanwhile.merged === null &&
          ' What you began on is too long ago for the two to be merged.'}
      </Notice>
      <div className="panel">
        <LazyDiffView
          from={{ label: isOwn ? 'The draft now' : `${by}’s draft`, text: theirs.body.text }}
          to={{ label: 'Your text', text: draft.text }}
          layout={narrow ? 'unified' : 'side-by-side'}
        />
      </div>
    </div>
  )
}

const mergeLabel = (conflicts: number) =>
  conflicts === 0 ? 'Merge both' : `Merge both, ${plural(conflicts, 'conflict')} to resolve`

const CHANGES_SHOWN = 5

function Meanwhile({ meanwhile: { changes, moreChanges } }: { meanwhile: DraftConflict }) {
  if (changes === null || changes.length === 0) return null
  const left = changes.length - CHANGES_SHOWN + moreChanges
  return (
    <ul aria-label="Changed meanwhile">
      {changes.slice(0, CHANGES_SHOWN).map(({ pointer, kind, by, at }) => (
        <li key={`${kind} ${pointer}`}>
          <code>{pointer === '' ? 'the whole text' : pointer}</code> {kind} by {by ?? 'somebody'}{' '}
          <TimeAgo at={at} />
        </li>
      ))}
      {left > 0 && <li>and {left} more</li>}
    </ul>
  )
}
