// SPDX-License-Identifier: MIT

import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { ActionButton } from '../../components/action-button.tsx'
import { t } from '../../languages/t.ts'
import type { GateMetric, OnFailure, Policy } from '../../lib/api-types.ts'
import { gateMetrics, gateName, gateTitle, isShare, isWrong, mayHavePath } from './rules.ts'
import { errorAt, type FieldErrors, type GateDraft, gateDraft, newId } from './strategy.ts'
import classes from './strategy-form.module.css'
import { gateSentence, onFailureWords } from './strategy-words.ts'

/** As many as the API takes. */
const MAX_GATES = 8

type Props = {
  /** null: the control plane's own. */
  gates: GateDraft[] | null
  defaults: Policy['gates'] | undefined
  errors: FieldErrors
  onChange: (gates: GateDraft[] | null) => void
}

export function GateFields({ gates, defaults = [], errors, onChange }: Props) {
  return (
    <fieldset className={classes.part}>
      <legend>{t('Gates')}</legend>
      <p className={classes.help}>
        {t(
          'What a wave’s nodes must show beside the nodes that have not got the version. Without any, time alone decides.',
        )}
      </p>
      {gates === null ? (
        <>
          <ul className="bullets">
            {defaults.map((gate) => (
              <li key={gateTitle(gate)}>
                {t('{gateSentence} (default)', { gateSentence: gateSentence(gate) })}
              </li>
            ))}
          </ul>
          <div className="row">
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => onChange(defaults.map(gateDraft))}
            >
              {t('Change the gates')}
            </Button>
          </div>
        </>
      ) : (
        <OwnGates gates={gates} errors={errors} onChange={onChange} />
      )}
    </fieldset>
  )
}

type OwnProps = Pick<Props, 'errors' | 'onChange'> & { gates: GateDraft[] }

function OwnGates({ gates, errors, onChange }: OwnProps) {
  const set = (id: number, change: Partial<GateDraft>) =>
    onChange(gates.map((gate) => (gate.id === id ? { ...gate, ...change } : gate)))
  const unused = gateMetrics.find((metric) => gates.every((gate) => gate.metric !== metric))
  const add = () => {
    const metric = unused ?? 'errors5xx'
    const max = isWrong(metric) ? '0' : isShare(metric) ? '1' : '1.5'
    onChange([...gates, { id: newId(), metric, below: '', max, onFail: 'pause' }])
  }
  return (
    <>
      {gates.length === 0 && <p>{t('There is no gate: time alone decides.')}</p>}
      <ol className={classes.rows}>
        {gates.map((gate, index) => (
          <li key={gate.id} className={classes.row}>
            <GateRow
              gate={gate}
              number={index + 1}
              errors={{
                below: errorAt(errors, `/gates/${index}/path`),
                max: errorAt(errors, `/gates/${index}/max`) ?? errors[`/gates/${index}`] ?? null,
              }}
              onChange={(change) => set(gate.id, change)}
              onRemove={() => onChange(gates.filter(({ id }) => id !== gate.id))}
            />
          </li>
        ))}
      </ol>
      <div className="row">
        <ActionButton
          size="compact-sm"
          variant="default"
          blockedBy={
            gates.length >= MAX_GATES
              ? t('There may be {maxGates} at most.', { maxGates: MAX_GATES })
              : null
          }
          onClick={add}
        >
          {t('Add a gate')}
        </ActionButton>
        <Button size="compact-sm" variant="default" onClick={() => onChange(null)}>
          {t('Use the default gates')}
        </Button>
      </div>
    </>
  )
}

type RowProps = {
  gate: GateDraft
  number: number
  errors: { below: string | null; max: string | null }
  onChange: (change: Partial<GateDraft>) => void
  onRemove: () => void
}

function GateRow({ gate, number, errors, onChange, onRemove }: RowProps) {
  const unit = isWrong(gate.metric)
    ? t('% wrong')
    : isShare(gate.metric)
      ? t('% worse')
      : t('times')
  return (
    <>
      <span className={classes.number}>{number}.</span>
      <NativeSelect
        aria-label={t('What gate {number} compares', { number })}
        value={gate.metric}
        onChange={({ currentTarget: { value } }) => onChange({ metric: value as GateMetric })}
        data={gateMetrics.map((metric) => ({ value: metric, label: gateName(metric) }))}
      />
      {mayHavePath(gate.metric) && (
        <TextInput
          aria-label={t('Below which path gate {number} looks; empty: all of them', { number })}
          placeholder={t('below any path')}
          className={classes.path}
          value={gate.below}
          onChange={({ currentTarget: { value } }) => onChange({ below: value.trim() })}
          error={errors.below}
        />
      )}
      <TextInput
        aria-label={t('Most of gate {number}, in {unit}', { number, unit })}
        inputMode="decimal"
        className={classes.size}
        leftSection="≤"
        value={gate.max}
        onChange={({ currentTarget: { value } }) => onChange({ max: value.trim() })}
        error={errors.max}
      />
      <span className={classes.unit}>{t('{unit}, else', { unit })}</span>
      <NativeSelect
        aria-label={t('When gate {number} fails', { number })}
        value={gate.onFail}
        onChange={({ currentTarget: { value } }) => onChange({ onFail: value as OnFailure })}
        data={Object.entries(onFailureWords).map(([value, label]) => ({ value, label }))}
      />
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t('Remove gate {number}', { number })}
        onClick={onRemove}
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </>
  )
}
