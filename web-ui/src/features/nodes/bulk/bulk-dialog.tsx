// SPDX-License-Identifier: MIT
// A change of many nodes: said, looked at, made, and what became of each. It is never made before it was looked at.
import { Button } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { ImpactPanel } from '../../../components/impact-panel.tsx'
import { Notice } from '../../../components/notice.tsx'
import type { NodeList } from '../../../lib/api-types.ts'
import { formatCount, plural } from '../../../lib/format.ts'
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
  const { verb } = bulkWords[kind]
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
    <Dialog title={`${verb} ${plural(count, 'node')}`} size="lg" onClose={handleClose}>
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
        <DialogActions leave={bulk.step === 'over' ? 'Close' : 'Cancel'}>
          {(bulk.step === 'asking' || bulk.step === 'looking') && (
            <ActionButton
              type="submit"
              loading={bulk.step === 'looking'}
              blockedBy={reading.ok ? null : reading.why}
            >
              Show what it would do
            </ActionButton>
          )}
          {bulk.step === 'looked' && <MakeButton kind={kind} results={bulk.answer.results} />}
          {bulk.step === 'changing' && (
            <Button loading={bulk.isStopping} onClick={stop}>
              Stop after this part
            </Button>
          )}
          {bulk.step === 'over' && bulk.answer.results.length < bulk.ids.length && (
            <Button onClick={() => void make(bulk)}>
              Go on with the other {formatCount(bulk.ids.length - bulk.answer.results.length)}
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
      blockedBy={changed === 0 ? 'Nothing would change.' : null}
    >
      {bulkWords[kind].verb} {plural(changed, 'node')}
    </ActionButton>
  )
}

function Standing({ bulk, kind }: { bulk: Bulk; kind: BulkKind }) {
  switch (bulk.step) {
    case 'asking':
      return bulk.error && <ErrorBox what="What it would do" error={bulk.error} />
    case 'looking':
      return <Progress words="Looking" done={bulk.done} total={bulk.total} />
    case 'looked':
      return <Looked kind={kind} answer={bulk.answer} />
    case 'changing':
      return (
        <>
          <Progress words="Changing" done={bulk.answer.results.length} total={bulk.ids.length} />
          <p className="dim">If you leave now, it ends with the part that is under way.</p>
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
            {!isWhole && <p>{plural(bulk.ids.length - results.length, 'node')} not asked yet.</p>}
          </Notice>
          {bulk.error && <ErrorBox what="It stopped on the way" error={bulk.error} />}
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
        title="Nothing is done yet"
      >
        {plural(changed, 'node')} would be {bulkWords[kind].done}
        {unchanged > 0 && `, ${formatCount(unchanged)} already as wanted`}
        {refused > 0 && `, ${formatCount(refused)} refused`}.
      </Notice>
      <BulkResults results={results} isTrial />
      {impact !== null && <ImpactPanel impact={impact} doing="With these labels" />}
    </>
  )
}

type ProgressProps = { words: string; done: number; total: number | null }

function Progress({ words, done, total }: ProgressProps) {
  const said =
    total === null
      ? 'Listing the nodes…'
      : `${words}: ${formatCount(done)} of ${plural(total, 'node')}`
  return (
    <div role="status" className="stack-tight">
      <span>{said}</span>
      {total !== null && <progress aria-label={words} value={done} max={total} />}
    </div>
  )
}
