// SPDX-License-Identifier: MIT
// A change of many nodes: said, looked at, made, and what became of each. It is never made before it was looked at.

import { Button } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { ImpactPanel } from '../../../components/impact-panel.tsx'
import { Notice } from '../../../components/notice.tsx'
import { t } from '../../../languages/t.ts'
import type { NodeList } from '../../../lib/api-types.ts'
import { formatCount } from '../../../lib/format.ts'
import { BulkFields } from './bulk-fields.tsx'
import { BulkResults } from './bulk-results.tsx'
import {
  type BulkKind,
  bulkWords,
  countsOf,
  emptyFields,
  outcomeSentence,
  readFields,
} from './rules.ts'
import type { Selection } from './selection.ts'
import { type Bulk, useBulk } from './use-bulk.ts'

export type BulkDialogProps = {
  kind: BulkKind
  selection: Selection
  list: NodeList
  /** How many are selected. */
  count: number
  onClose: () => void
  /** Some were changed. */
  onDone: () => void
}

export function BulkDialog(props: BulkDialogProps) {
  const { kind, selection, list, count, onClose, onDone } = props
  const [fields, setFields] = useState(emptyFields)
  const { bulk, setBulk, look, make, stop } = useBulk(selection, list)
  const reading = readFields(kind, fields)
  const isBusy = bulk.step === 'looking' || bulk.step === 'changing'
  const handleClose = () => {
    stop()
    const isBegun = bulk.step === 'over' && bulk.answer.results.length > 0
    if (isBegun || bulk.step === 'changing') onDone()
    onClose()
  }
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (reading.ok && bulk.step === 'asking') void look(reading.change)
    if (bulk.step === 'looked' && countsOf(bulk.answer.results).changed > 0) {
      void make({ ...bulk, answer: { results: [], impact: null } })
    }
  }
  return (
    <Dialog title={bulkWords[kind].todo(count)} size="lg" onClose={handleClose}>
      <form className="stack" onSubmit={handleSubmit} noValidate>
        {bulk.step !== 'over' && (
          <BulkFields
            kind={kind}
            fields={fields}
            disabled={isBusy}
            onChange={(next) => {
              setFields(next)
              setBulk({ step: 'asking', error: null })
            }}
          />
        )}
        <Standing bulk={bulk} kind={kind} />
        <DialogActions leave={bulk.step === 'over' ? t('Close') : t('Cancel')}>
          {(bulk.step === 'asking' || bulk.step === 'looking') && (
            <ActionButton
              type="submit"
              loading={bulk.step === 'looking'}
              blockedBy={reading.ok ? null : reading.why}
            >
              {t('Show what it would do')}
            </ActionButton>
          )}
          {bulk.step === 'looked' && <MakeButton kind={kind} results={bulk.answer.results} />}
          {bulk.step === 'changing' && (
            <Button loading={bulk.isStopping} onClick={stop}>
              {t('Stop after this part')}
            </Button>
          )}
          {bulk.step === 'over' && bulk.answer.results.length < bulk.ids.length && (
            <Button onClick={() => void make(bulk)}>
              {t('Go on with the other {ids}', {
                ids: formatCount(bulk.ids.length - bulk.answer.results.length),
              })}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  )
}

type MakeProps = { kind: BulkKind; results: Parameters<typeof countsOf>[0] }

function MakeButton({ kind, results }: MakeProps) {
  const { changed } = countsOf(results)
  return (
    <ActionButton
      type="submit"
      variant={kind === 'decommission' ? 'danger-filled' : 'filled'}
      blockedBy={changed === 0 ? t('Nothing would change.') : null}
    >
      {bulkWords[kind].todo(changed)}
    </ActionButton>
  )
}

function Standing({ bulk, kind }: { bulk: Bulk; kind: BulkKind }) {
  switch (bulk.step) {
    case 'asking':
      return bulk.error && <ErrorBox what={t('What it would do')} error={bulk.error} />
    case 'looking':
      return <Progress words={t('Looking')} done={bulk.done} total={bulk.total} />
    case 'looked':
      return <Looked kind={kind} answer={bulk.answer} />
    case 'changing':
      return (
        <>
          <Progress
            words={t('Changing')}
            done={bulk.answer.results.length}
            total={bulk.ids.length}
          />
          <p className="dim">{t('If you leave now, it ends with the part that is under way.')}</p>
        </>
      )
    case 'over': {
      const { results } = bulk.answer
      const { refused } = countsOf(results)
      const isWhole = results.length === bulk.ids.length
      return (
        <>
          <Notice
            tone={!isWhole || refused > 0 ? 'warn' : 'good'}
            live
            title={`${outcomeSentence(kind, results)}.`}
          >
            {!isWhole && (
              <p>
                {t('{ids, plural, one {# node} other {# nodes}} not asked yet.', {
                  ids: bulk.ids.length - results.length,
                })}
              </p>
            )}
          </Notice>
          {bulk.error && <ErrorBox what={t('It stopped on the way')} error={bulk.error} />}
          <BulkResults results={results} isTrial={false} />
        </>
      )
    }
  }
}

type LookedProps = { kind: BulkKind; answer: Extract<Bulk, { step: 'looked' }>['answer'] }

function Looked({ kind, answer: { results, impact } }: LookedProps) {
  const { changed, unchanged, refused } = countsOf(results)
  const isDanger = kind === 'decommission' && changed > 0
  return (
    <>
      <Notice
        tone={isDanger ? 'bad' : refused > 0 ? 'warn' : 'info'}
        live
        title={t('Nothing is done yet')}
      >
        {bulkWords[kind].would(changed)}
        {unchanged > 0 &&
          t(', {unchanged} already as wanted', { unchanged: formatCount(unchanged) })}
        {refused > 0 && t(', {refused} refused', { refused: formatCount(refused) })}.
      </Notice>
      <BulkResults results={results} isTrial />
      {impact !== null && <ImpactPanel impact={impact} doing={t('With these labels')} />}
    </>
  )
}

type ProgressProps = { words: string; done: number; total: number | null }

function Progress({ words, done, total }: ProgressProps) {
  const said =
    total === null
      ? t('Listing the nodes…')
      : t('{words}: {done} of {total, plural, one {# node} other {# nodes}}', {
          words,
          done: formatCount(done),
          total,
        })
  return (
    <div role="status" className="stack-tight">
      <span>{said}</span>
      {total !== null && <progress aria-label={words} value={done} max={total} />}
    </div>
  )
}
