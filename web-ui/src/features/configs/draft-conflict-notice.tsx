// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { LazyDiffView } from '../../components/code/lazy-code.tsx'
import { Notice } from '../../components/notice.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { DraftConflict } from '../../lib/api-types.ts'
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
  const by = isOwn ? t('your other tab') : (updatedBy ?? t('somebody'))
  return (
    <div className="stack-tight">
      <Notice
        tone="bad"
        title={
          isOwn
            ? t('You changed the draft elsewhere, as in another tab')
            : t('{by} changed the draft while you were typing', { by })
        }
        action={
          <div className="row">
            {meanwhile.merged !== null && (
              <Button size="xs" onClick={draft.merge}>
                {mergeLabel(meanwhile.merged.conflicts.length)}
              </Button>
            )}
            <Button size="xs" variant="default" onClick={draft.takeTheirs}>
              {t('Take {by}’s text', { by })}
            </Button>
            <Button size="xs" variant="default" onClick={draft.keepMine}>
              {t('Keep mine on top, replacing {by}’s', { by })}
            </Button>
          </div>
        }
      >
        <Meanwhile meanwhile={meanwhile} />
        {isOwn
          ? t(
              'Below is {by}’s text against this one’s. If you take {by}’s or merge, yours is set aside and can be brought back.',
              { by },
            )
          : t(
              'Below is {by}’s text against yours. If you take {by}’s or merge, yours is set aside and can be brought back.',
              { by },
            )}{' '}
        {meanwhile.merged === null &&
          t('What you began on is too long ago for the two to be merged.')}
      </Notice>
      <div className="panel">
        <LazyDiffView
          from={{
            label: isOwn ? t('The draft now') : t('{by}’s draft', { by }),
            text: theirs.body.text,
          }}
          to={{ label: t('Your text'), text: draft.text }}
          layout={narrow ? 'unified' : 'side-by-side'}
        />
      </div>
    </div>
  )
}

const mergeLabel = (conflicts: number) =>
  conflicts === 0
    ? t('Merge both')
    : t('Merge both, {conflicts, plural, one {# conflict} other {# conflicts}} to resolve', {
        conflicts,
      })

const CHANGES_SHOWN = 5

const kinds = {
  added: t('added'),
  changed: t('changed'),
  moved: t('moved'),
  removed: t('removed'),
}

function Meanwhile({ meanwhile: { changes, moreChanges } }: { meanwhile: DraftConflict }) {
  if (changes === null || changes.length === 0) return null
  const left = changes.length - CHANGES_SHOWN + moreChanges
  return (
    <ul aria-label={t('Changed meanwhile')}>
      {changes.slice(0, CHANGES_SHOWN).map(({ pointer, kind, by, at }) => (
        <li key={`${kind} ${pointer}`}>
          <T
            text="{pointer} {kind} by {by} {at}"
            pointer={<code>{pointer === '' ? t('the whole text') : pointer}</code>}
            kind={kinds[kind]}
            by={by ?? t('somebody')}
            at={<TimeAgo at={at} />}
          />
        </li>
      ))}
      {left > 0 && <li>{t('and {left} more', { left })}</li>}
    </ul>
  )
}
