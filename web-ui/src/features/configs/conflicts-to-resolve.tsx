// SPDX-License-Identifier: MIT
// What two people changed at the same lines, each as both left it, and a choice for each. A choice is a change of the
// text as any other: the editor's Undo brings the marks back.

import { Button } from '@mantine/core'
import { useRef } from 'react'
import { Notice } from '../../components/notice.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { t } from '../../languages/t.ts'
import { type Choice, conflictsIn, type MarkedConflict, resolveConflict } from './conflict-marks.ts'
import classes from './conflicts-to-resolve.module.css'
import type { DraftHandle } from './use-draft.ts'

/** Of more nobody sees a list at once; with each choice the next comes up. */
const MOST_SHOWN = 20

type Props = {
  draft: Pick<DraftHandle, 'text' | 'unresolved'>
  onChange: (text: string) => void
  onShowLine: (line: number) => void
}

export function ConflictsToResolve({ draft, onChange, onShowLine }: Props) {
  const section = useRef<HTMLElement>(null)
  const { unresolved } = draft
  const conflicts = conflictsIn(draft.text)
  const [firstLine = 1] = unresolved
  const choose = (line: number, choice: Choice) => {
    onChange(resolveConflict(draft.text, line, choice))
    // The button that was pressed is gone.
    if (unresolved.length > 1) section.current?.focus()
    else onShowLine(line)
  }
  return (
    <section ref={section} tabIndex={-1} aria-label={t('Conflicts')} className="stack-tight">
      <Notice
        tone="warn"
        live
        title={t(
          '{unresolved, plural, one {# conflict} other {# conflicts}} to resolve, so the draft is not saved yet',
          { unresolved: unresolved.length },
        )}
        action={
          <Button size="xs" variant="default" onClick={() => onShowLine(firstLine)}>
            {t('Show line {firstLine}', { firstLine })}
          </Button>
        }
      >
        {conflicts.length < unresolved.length
          ? t(
              'Some of the marks <<<<<<<, ======= and >>>>>>> are gone: keep what should stay there in the text and delete the others.',
            )
          : t(
              'Both of you changed these lines. Choose here, or edit them in the text and delete the marks.',
            )}
      </Notice>
      <ol className={classes.conflicts}>
        {conflicts.slice(0, MOST_SHOWN).map((conflict, i) => (
          <li key={conflict.line} className="panel">
            <ConflictChoice
              conflict={conflict}
              title={t('Conflict {i} of {conflicts}, line {line}', {
                i: i + 1,
                conflicts: conflicts.length,
                line: conflict.line,
              })}
              onChoose={(choice) => choose(conflict.line, choice)}
            />
          </li>
        ))}
      </ol>
      {conflicts.length > MOST_SHOWN && (
        <p className="dim">
          {t('And {conflicts} more, below these.', { conflicts: conflicts.length - MOST_SHOWN })}
        </p>
      )}
    </section>
  )
}

type ChoiceProps = {
  conflict: MarkedConflict
  title: string
  onChoose: (choice: Choice) => void
}

function ConflictChoice({ conflict, title, onChoose }: ChoiceProps) {
  const { mine, theirs, labels } = conflict
  return (
    <fieldset className={classes.conflict} aria-label={title}>
      <h2 className={classes.title}>{title}</h2>
      <div className={classes.sides}>
        <Side label={labels.mine} lines={mine}>
          <Button size="xs" variant="default" onClick={() => onChoose('mine')}>
            {t('Keep {mine}', { mine: labels.mine })}
          </Button>
        </Side>
        <Side label={labels.theirs} lines={theirs}>
          <Button size="xs" variant="default" onClick={() => onChoose('theirs')}>
            {t('Keep {theirs}', { theirs: labels.theirs })}
          </Button>
        </Side>
      </div>
      <div>
        <Button size="xs" variant="subtle" onClick={() => onChoose('both')}>
          {t('Keep both, {mine} first', { mine: labels.mine })}
        </Button>
      </div>
    </fieldset>
  )
}

type SideProps = { label: string; lines: readonly string[]; children: React.ReactNode }

function Side({ label, lines, children }: SideProps) {
  return (
    <div className={classes.side}>
      <h3>{label}</h3>
      {lines.length === 0 ? (
        <p className="dim">{t('Nothing: these lines were removed.')}</p>
      ) : (
        <ScrollBox className={classes.lines} label={t('Lines of {label}', { label })}>
          <pre>{lines.join('\n')}</pre>
        </ScrollBox>
      )}
      <div>{children}</div>
    </div>
  )
}
