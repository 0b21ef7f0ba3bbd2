// SPDX-License-Identifier: MIT
// A part of the form under a heading that opens and closes it. Closed, it says what it holds and
// whether something in it is wrong.

import { IconChevronRight } from '@tabler/icons-react'
import { useId } from 'react'
import { StatusMark } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import classes from './form.module.css'
import { problemsWithin, useForm } from './form-state.ts'

export type DisclosureProps = {
  pointer: string
  level: number
  title: string
  summary: string
  isEmpty?: boolean
  /** A thing of its own among others, as a site is. */
  isCard?: boolean
  /** Beside the heading, out of what opens and closes. */
  actions?: React.ReactNode
  children: React.ReactNode
}

export function Disclosure(props: DisclosureProps) {
  const { pointer, level, title, summary, isEmpty = false, isCard = false } = props
  const { actions, children } = props
  const { problems, isOpen, setOpen } = useForm()
  const id = useId()
  const Heading = `h${Math.min(level, 6)}` as 'h2'
  const open = isOpen(pointer)
  const wrong = problemsWithin(problems, pointer).length
  return (
    <div
      className={classes.disclosure}
      data-open={open}
      data-empty={isEmpty}
      data-card={isCard || undefined}
    >
      <div className={classes.disclosureHead}>
        <Heading>
          <button
            type="button"
            id={id}
            data-field={pointer}
            aria-expanded={open}
            aria-controls={open ? `${id}-body` : undefined}
            onClick={() => setOpen(pointer, !open)}
          >
            <Chevron />
            <span className={classes.disclosureTitle}>{title}</span>{' '}
            <span className={classes.summary}>{summary}</span>{' '}
            {wrong > 0 && (
              <span className={classes.wrong}>
                <StatusMark tone="bad" shape="square" />
                {t(' {wrong, plural, one {# problem} other {# problems}}', { wrong })}
              </span>
            )}
          </button>
        </Heading>
        {actions}
      </div>
      {open && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be the heading that opens it
        <div id={`${id}-body`} role="group" aria-labelledby={id} className={classes.body}>
          {children}
        </div>
      )}
    </div>
  )
}

export type FoldProps = {
  pointer: string
  count: number
  onClose: () => void
  children: React.ReactNode
}

/** What a part has besides: out of the way until somebody asks for it. */
export function Fold({ pointer, count, onClose, children }: FoldProps) {
  const { isOpen, setOpen } = useForm()
  const id = useId()
  const open = isOpen(pointer)
  return (
    <div className={classes.disclosure} data-open={open}>
      <div className={classes.disclosureHead}>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => {
            if (open) onClose()
            setOpen(pointer, !open)
          }}
        >
          <Chevron />
          <span className={classes.foldTitle}>
            {t('{count, plural, one {# more option} other {# more options}}, as by default', {
              count,
            })}
          </span>
        </button>
      </div>
      {open && <div id={id}>{children}</div>}
    </div>
  )
}

const Chevron = () => <IconChevronRight size={16} aria-hidden className={classes.chevron} />
