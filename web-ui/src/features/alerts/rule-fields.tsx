// SPDX-License-Identifier: MIT
// The fields of a rule: its condition, what it applies to, and its times.

import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { NodeSelect } from '../../components/node-select.tsx'
import { t } from '../../languages/t.ts'
import { counters, gauges, unitOf } from '../../lib/measures.ts'
import { groupNamesQuery } from '../../lib/name-queries.ts'
import { stages } from '../../lib/stages.ts'
import classes from './alerts.module.css'
import { byOf, type RuleDraft, type Troubles, type Whose, whoseOf } from './rule-draft.ts'

export type FieldsProps = {
  draft: RuleDraft
  troubles: Troubles
  onChange: (change: Partial<RuleDraft>) => void
}
type TextField = {
  [K in keyof RuleDraft]: string extends RuleDraft[K] ? K : never
}[keyof RuleDraft]

type TextProps = FieldsProps & {
  field: TextField
  label: string
  description?: string
  wide?: boolean
  maxLength?: number
}

function Text({ draft, troubles, onChange, field, wide = false, ...input }: TextProps) {
  return (
    <TextInput
      {...input}
      inputWrapperOrder={inputWrapperOrder}
      {...(wide && { className: classes.wide })}
      value={draft[field]}
      spellCheck={false}
      onChange={({ currentTarget: { value } }) => onChange({ [field]: value })}
      error={troubles[field]}
    />
  )
}

/** Below, so that fields side by side are level. */
const inputWrapperOrder: ('label' | 'input' | 'error' | 'description')[] = [
  'label',
  'input',
  'error',
  'description',
]

type Choices = readonly { value: string; label: string }[]
type ChoiceProps = FieldsProps & {
  field: Exclude<keyof RuleDraft, 'enabled'>
  label: string
  description?: string
  choices: Choices
}

function Choice({ draft, troubles, onChange, field, choices, ...input }: ChoiceProps) {
  const value = draft[field]
  // What a newer control plane knows and this console doesn't stays what it is.
  const isKnown = choices.some((one) => one.value === value)
  return (
    <NativeSelect
      {...input}
      inputWrapperOrder={inputWrapperOrder}
      value={value}
      data={isKnown ? [...choices] : [{ value, label: value }, ...choices]}
      onChange={({ currentTarget: { value: chosen } }) => onChange({ [field]: chosen })}
      error={troubles[field]}
    />
  )
}

const choicesOf = (labels: Record<string, string>): Choices =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

const KINDS = choicesOf({
  measurement: t('A measurement beyond a threshold'),
  'burn-rate': t('An error budget used too fast'),
  'node-silent': t('A node that is silent'),
  drift: t('A config that was changed on its node'),
  'rollout-waiting': t('A rollout that is waiting or paused'),
  'certificate-ending': t('A certificate that is about to expire'),
} satisfies Record<RuleDraft['kind'], string>)
const SEVERITIES = choicesOf({ critical: t('Critical'), warning: t('Warning') })

export function NameFields(props: FieldsProps) {
  return (
    <div className={classes.fields}>
      <Text {...props} field="name" label={t('Name')} maxLength={100} />
      <Choice {...props} field="severity" label={t('Severity')} choices={SEVERITIES} />
      <Text
        {...props}
        field="description"
        label={t('Description (optional)')}
        description={t('What to do about it, for whoever is woken by it')}
        maxLength={1000}
        wide
      />
      <Checkbox
        label={t('Enabled')}
        checked={props.draft.enabled}
        onChange={({ currentTarget: { checked } }) => props.onChange({ enabled: checked })}
      />
    </div>
  )
}

export function ConditionFields(props: FieldsProps) {
  const { kind } = props.draft
  const set = (change: Partial<RuleDraft>) => {
    const allowed = whoseOf(change.kind ?? kind)
    const isAllowed = allowed.includes(props.draft.whose)
    props.onChange(isAllowed ? change : { ...change, whose: 'farm', whom: '' })
  }
  return (
    <fieldset className={classes.part}>
      <legend>{t('Condition')}</legend>
      <div className={classes.fields}>
        <Choice {...props} onChange={set} field="kind" label={t('Fires on')} choices={KINDS} />
        {kind === 'certificate-ending' && (
          <Text
            {...props}
            field="days"
            label={t('Days before it expires')}
            description={t(
              'For a short-lived certificate, the last sixth of its life if that is less',
            )}
          />
        )}
        {kind === 'measurement' && <MeasurementFields {...props} />}
        {kind === 'burn-rate' && <BurnRateFields {...props} />}
        <WhoseFields {...props} />
      </div>
    </fieldset>
  )
}

const WHATS = choicesOf({
  quantile: t('Latency percentile'),
  rate: t('Rate per second'),
  share: t('Share of all requests'),
  gauge: t('Current value'),
} satisfies Record<RuleDraft['what'], string>)
const STAGES = Object.entries(stages).map(([value, { label }]) => ({ value, label }))
const COMPARISONS = choicesOf({ above: t('Above the threshold'), below: t('Below the threshold') })
const EACH = choicesOf({ node: t('Each node on its own'), set: t('All nodes together') })

function MeasurementFields(props: FieldsProps) {
  const { what, comparison } = props.draft
  const { word } = unitOf(byOf(props.draft))
  const inUnit = word === '' ? '' : ` (${word})`
  return (
    <>
      <Choice {...props} field="what" label={t('Kind of measurement')} choices={WHATS} />
      {what === 'quantile' && (
        <>
          <Choice {...props} field="stage" label={t('Stage')} choices={STAGES} />
          <Text
            {...props}
            field="quantile"
            label={t('Percentile')}
            description={t('99: one request in a hundred takes longer')}
          />
        </>
      )}
      {(what === 'rate' || what === 'share') && (
        <Choice {...props} field="counter" label={t('Counter')} choices={choicesOf(counters)} />
      )}
      {what === 'gauge' && (
        <Choice {...props} field="gauge" label={t('Value')} choices={choicesOf(gauges)} />
      )}
      <Choice {...props} field="comparison" label={t('Fires when it is')} choices={COMPARISONS} />
      <Text {...props} field="threshold" label={t('Threshold{inUnit}', { inUnit })} />
      <Text
        {...props}
        field="clearThreshold"
        label={
          comparison === 'above'
            ? t('Clears below{inUnit} (optional)', { inUnit })
            : t('Clears above{inUnit} (optional)', { inUnit })
        }
        description={t('Between this and the threshold nothing changes')}
      />
      <Text
        {...props}
        field="windowMinutes"
        label={t('Window (minutes)')}
        description={
          props.draft.each === 'node'
            ? t('Measured over this long, an hour at most')
            : t('Measured over this long, a day at most')
        }
      />
      {(what === 'quantile' || what === 'share') && (
        <Text
          {...props}
          field="minRequests"
          label={t('Minimum requests')}
          description={t('With fewer in the window, nothing is concluded')}
        />
      )}
      <Choice {...props} field="each" label={t('Measured for')} choices={EACH} />
    </>
  )
}

const BAD = choicesOf({ failed: t('it is answered with a 5xx'), slow: t('it takes too long') })

function BurnRateFields(props: FieldsProps) {
  return (
    <>
      <Text
        {...props}
        field="objective"
        label={t('Objective (% of requests that are good)')}
        description={t(
          'Over 30 days. The rest is the error budget: it fires when an hour uses it 14.4 times too fast, six hours 6 times, or three days too fast at all',
        )}
      />
      <Choice {...props} field="bad" label={t('A request is bad if')} choices={BAD} />
      {props.draft.bad === 'slow' && (
        <Text {...props} field="slowerMillis" label={t('Too long is over (ms)')} />
      )}
    </>
  )
}

const WHOSE: Record<Whose, string> = {
  farm: t('The whole farm'),
  group: t('A group'),
  nodes: t('Nodes with labels'),
  node: t('One node'),
  version: t('Nodes that run a version'),
}

function WhoseFields(props: FieldsProps) {
  const { draft, onChange } = props
  const choices = whoseOf(draft.kind).map((value) => ({ value, label: WHOSE[value] }))
  const set = (change: Partial<RuleDraft>) => onChange({ ...change, whom: '' })
  return (
    <>
      <Choice {...props} onChange={set} field="whose" label={t('Applies to')} choices={choices} />
      {draft.whose === 'group' && <GroupField {...props} />}
      {draft.whose === 'nodes' && (
        <Text
          {...props}
          field="whom"
          label={t('Labels')}
          description={t('As in zone=eu,!canary')}
          maxLength={1024}
        />
      )}
      {draft.whose === 'node' && (
        <NodeSelect
          label={t('Node')}
          id={draft.whom}
          error={props.troubles.whom}
          onChange={(whom) => onChange({ whom })}
        />
      )}
      {draft.whose === 'version' && (
        <Text {...props} field="whom" label={t('Version')} description={t('As in default/7')} />
      )}
    </>
  )
}

function GroupField(props: FieldsProps) {
  const groups = useQuery(groupNamesQuery)
  const choices = (groups.data ?? []).map((name) => ({ value: name, label: name }))
  return (
    <Choice
      {...props}
      field="whom"
      label={t('Group')}
      choices={[{ value: '', label: t('Choose one') }, ...choices]}
    />
  )
}

export function TimingFields(props: FieldsProps) {
  return (
    <fieldset className={classes.part}>
      <legend>{t('Timing')}</legend>
      <div className={classes.fields}>
        <Text
          {...props}
          field="forMinutes"
          label={t('Minutes before it fires')}
          description={t('The condition must hold this long. 0 fires at once')}
        />
        <Text
          {...props}
          field="keepMinutes"
          label={t('Minutes before it resolves')}
          description={t(
            'The condition must be clear this long, so that an alert does not come and go',
          )}
        />
      </div>
    </fieldset>
  )
}
