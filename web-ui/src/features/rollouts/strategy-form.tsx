// SPDX-License-Identifier: MIT
// How a rollout is to go. Each value shows what holds when it is left empty.

import { Checkbox, NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import { useId } from 'react'
import { t } from '../../languages/t.ts'
import type { OnFailure, Policy, RolloutPlan } from '../../lib/api-types.ts'
import { GateFields } from './gate-fields.tsx'
import { KindFields } from './kind-fields.tsx'
import { kindsOf } from './plan-rules.ts'
import { ProbeFields } from './probe-fields.tsx'
import {
  type Choice,
  errorAt,
  type FieldErrors,
  type KnobKey,
  type Preset,
  type StrategyDraft,
} from './strategy.ts'
import classes from './strategy-form.module.css'
import { knobs, onFailureWords, presets, unitWords } from './strategy-words.ts'
import { WaveFields } from './wave-fields.tsx'

export type StrategyFormProps = {
  choice: Choice
  onChange: (choice: Choice) => void
  errors: FieldErrors
  /** The plan where nothing but the waves is said; undefined: not known yet. */
  bare: RolloutPlan | undefined
}

export function StrategyForm({ choice, onChange, errors, bare }: StrategyFormProps) {
  const headingId = useId()
  const set = (change: Partial<StrategyDraft>) =>
    onChange({ ...choice, draft: { ...choice.draft, ...change } })
  const { preset, draft } = choice
  const defaults = bare?.policy
  return (
    <section className="panel" aria-labelledby={headingId}>
      <div className="panel-head">
        <h2 id={headingId}>{t('How it goes')}</h2>
      </div>
      <div className="panel-body stack">
        <div className="stack-tight">
          <div>
            <SegmentedControl
              aria-labelledby={headingId}
              value={preset}
              onChange={(value) => onChange({ ...choice, preset: value as Preset })}
              data={presets.map(({ value, label }) => ({ value, label }))}
            />
          </div>
          <p className={classes.help}>{presets.find(({ value }) => value === preset)?.help}</p>
        </div>
        {preset === 'custom' && (
          <>
            <WaveFields waves={draft.waves} errors={errors} onChange={(waves) => set({ waves })} />
            <GateFields
              gates={draft.gates}
              defaults={defaults?.gates}
              errors={errors}
              onChange={(gates) => set({ gates })}
            />
            <ProbeFields
              probes={draft.probes}
              errors={errors}
              onChange={(probes) => set({ probes })}
            />
            <KindFields
              kinds={kindsOf(bare?.kinds.items ?? [], draft.excludeKinds)}
              excluded={draft.excludeKinds}
              onChange={(excludeKinds) => set({ excludeKinds })}
            />
            <Limits draft={draft} set={set} errors={errors} defaults={defaults} />
          </>
        )}
      </div>
    </section>
  )
}

/** So that fields side by side are level, however long their help is. */
const HELP_BELOW: ('label' | 'input' | 'error' | 'description')[] = [
  'label',
  'input',
  'error',
  'description',
]

type LimitsProps = {
  draft: StrategyDraft
  set: (change: Partial<StrategyDraft>) => void
  errors: FieldErrors
  defaults: Policy | undefined
}

function Limits({ draft, set, errors, defaults }: LimitsProps) {
  return (
    <fieldset className={classes.part}>
      <legend>{t('Limits')}</legend>
      <div className={classes.limits}>
        {knobs.map((knob) => (
          <TextInput
            key={knob.key}
            inputWrapperOrder={HELP_BELOW}
            label={t('{label}, in {unit}', { label: knob.label, unit: unitWords[knob.unit] })}
            description={knob.help}
            inputMode="decimal"
            placeholder={defaultOf(defaults, knob.key)}
            value={draft.knobs[knob.key] ?? ''}
            onChange={({ currentTarget: { value } }) =>
              set({ knobs: { ...draft.knobs, [knob.key]: value } })
            }
            error={errorAt(errors, `/${knob.key}`)}
          />
        ))}
        <NativeSelect
          label={t('When a node fails')}
          inputWrapperOrder={HELP_BELOW}
          description={t('It goes back automatically, is not well, or nothing moves on')}
          value={draft.onFailure}
          onChange={({ currentTarget: { value } }) => set({ onFailure: value as OnFailure | '' })}
          data={onFailureChoices(defaults)}
        />
        <TextInput
          label={t('Failure domain (optional)')}
          inputWrapperOrder={HELP_BELOW}
          description={t('A label. A small wave stays within one of its values')}
          placeholder={t('rack')}
          spellCheck={false}
          value={draft.failureDomain}
          onChange={({ currentTarget: { value } }) => set({ failureDomain: value })}
          error={errorAt(errors, '/failureDomain')}
        />
      </div>
      <Checkbox
        label={t('Files of a release go to all nodes before the first wave')}
        description={t('So that a page of one node finds its files at every other')}
        checked={draft.filesFirst}
        onChange={({ currentTarget: { checked } }) => set({ filesFirst: checked })}
      />
    </fieldset>
  )
}

function defaultOf(defaults: Policy | undefined, key: KnobKey): string {
  const value = defaults?.[key]
  return value === undefined || value === null ? '' : t('{value} (default)', { value })
}

function onFailureChoices(defaults: Policy | undefined) {
  const all: { value: OnFailure | ''; label: string }[] = [
    { value: 'revert', label: onFailureWords.revert },
    { value: 'pause', label: onFailureWords.pause },
    { value: 'freeze', label: onFailureWords.freeze },
  ]
  const fallback =
    defaults === undefined
      ? ''
      : t('{onFailure} (default)', { onFailure: onFailureWords[defaults.onFailure] })
  return [{ value: '', label: fallback }, ...all]
}
