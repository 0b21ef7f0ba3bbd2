// SPDX-License-Identifier: MIT
// The fields of a rule: its condition, what it applies to, and its times.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { NodeSelect } from '../../components/node-select.tsx'
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
  measurement: 'A measurement beyond a threshold',
  'burn-rate': 'An error budget used too fast',
  'node-silent': 'A node that is silent',
  drift: 'A config that was changed on its node',
  'rollout-waiting': 'A rollout that is waiting or paused',
  'certificate-ending': 'A certificate that is about to expire',
} satisfies Record<RuleDraft['kind'], string>)
const SEVERITIES = choicesOf({ critical: 'Critical', warning: 'Warning' })

export function NameFields(props: FieldsProps) {
  return (
    <div className={classes.fields}>
      <Text {...props} field="name" label="Name" maxLength={100} />
      <Choice {...props} field="severity" label="Severity" choices={SEVERITIES} />
      <Text
        {...props}
        field="description"
        label="Description (optional)"
        description="What to do about it, for whoever is woken by it"
        maxLength={1000}
        wide
      />
      <Checkbox
        label="Enabled"
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
      <legend>Condition</legend>
      <div className={classes.fields}>
        <Choice {...props} onChange={set} field="kind" label="Fires on" choices={KINDS} />
        {kind === 'certificate-ending' && (
          <Text
            {...props}
            field="days"
            label="Days before it expires"
            description="For a short-lived certificate, the last sixth of its life if that is less"
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
  quantile: 'Latency percentile',
  rate: 'Rate per second',
  share: 'Share of all requests',
  gauge: 'Current value',
} satisfies Record<RuleDraft['what'], string>)
const STAGES = Object.entries(stages).map(([value, { label }]) => ({ value, label }))
const COMPARISONS = choicesOf({ above: 'Above the threshold', below: 'Below the threshold' })
const EACH = choicesOf({ node: 'Each node on its own', set: 'All nodes together' })

function MeasurementFields(props: FieldsProps) {
  const { what, comparison } = props.draft
  const { word } = unitOf(byOf(props.draft))
  const inUnit = word === '' ? '' : ` (${word})`
  return (
    <>
      <Choice {...props} field="what" label="Kind of measurement" choices={WHATS} />
      {what === 'quantile' && (
        <>
          <Choice {...props} field="stage" label="Stage" choices={STAGES} />
          <Text
            {...props}
            field="quantile"
            label="Percentile"
            description="99: one request in a hundred takes longer"
          />
        </>
      )}
      {(what === 'rate' || what === 'share') && (
        <Choice {...props} field="counter" label="Counter" choices={choicesOf(counters)} />
      )}
      {what === 'gauge' && (
        <Choice {...props} field="gauge" label="Value" choices={choicesOf(gauges)} />
      )}
      <Choice {...props} field="comparison" label="Fires when it is" choices={COMPARISONS} />
      <Text {...props} field="threshold" label={`Threshold${inUnit}`} />
      <Text
        {...props}
        field="clearThreshold"
        label={`Clears ${comparison === 'above' ? 'below' : 'above'}${inUnit} (optional)`}
        description="Between this and the threshold nothing changes"
      />
      <Text
        {...props}
        field="windowMinutes"
        label="Window (minutes)"
        description={`Measured over this long, ${props.draft.each === 'node' ? 'an hour' : 'a day'} at most`}
      />
      {(what === 'quantile' || what === 'share') && (
        <Text
          {...props}
          field="minRequests"
          label="Minimum requests"
          description="With fewer in the window, nothing is concluded"
        />
      )}
      <Choice {...props} field="each" label="Measured for" choices={EACH} />
    </>
  )
}

const BAD = choicesOf({ failed: 'it is answered with a 5xx', slow: 'it takes too long' })

function BurnRateFields(props: FieldsProps) {
  return (
    <>
      <Text
        {...props}
        field="objective"
        label="Objective (% of requests that are good)"
        description="Over 30 days. The rest is the error budget: it fires when an hour uses it 14.4 times too fast, six hours 6 times, or three days too fast at all"
      />
      <Choice {...props} field="bad" label="A request is bad if" choices={BAD} />
      {props.draft.bad === 'slow' && (
        <Text {...props} field="slowerMillis" label="Too long is over (ms)" />
      )}
    </>
  )
}

const WHOSE: Record<Whose, string> = {
  farm: 'The whole farm',
  group: 'A group',
  nodes: 'Nodes with labels',
  node: 'One node',
  version: 'Nodes that run a version',
}

function WhoseFields(props: FieldsProps) {
  const { draft, onChange } = props
  const choices = whoseOf(draft.kind).map((value) => ({ value, label: WHOSE[value] }))
  const set = (change: Partial<RuleDraft>) => onChange({ ...change, whom: '' })
  return (
    <>
      <Choice {...props} onChange={set} field="whose" label="Applies to" choices={choices} />
      {draft.whose === 'group' && <GroupField {...props} />}
      {draft.whose === 'nodes' && (
        <Text
          {...props}
          field="whom"
          label="Labels"
          description="As in zone=eu,!canary"
          maxLength={1024}
        />
      )}
      {draft.whose === 'node' && (
        <NodeSelect
          label="Node"
          id={draft.whom}
          error={props.troubles.whom}
          onChange={(whom) => onChange({ whom })}
        />
      )}
      {draft.whose === 'version' && (
        <Text {...props} field="whom" label="Version" description="As in default/7" />
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
      label="Group"
      choices={[{ value: '', label: 'Choose one' }, ...choices]}
    />
  )
}

export function TimingFields(props: FieldsProps) {
  return (
    <fieldset className={classes.part}>
      <legend>Timing</legend>
      <div className={classes.fields}>
        <Text
          {...props}
          field="forMinutes"
          label="Minutes before it fires"
          description="The condition must hold this long. 0 fires at once"
        />
        <Text
          {...props}
          field="keepMinutes"
          label="Minutes before it resolves"
          description="The condition must be clear this long, so that an alert does not come and go"
        />
      </div>
    </fieldset>
  )
}
