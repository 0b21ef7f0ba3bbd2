// SPDX-License-Identifier: MIT
// Fields of one value: a text or a number, and a choice.

import { Button, NativeSelect, TextInput } from '@mantine/core'
import { t } from '../../../languages/t.ts'
import { typesOf } from '../schema-walk.ts'
import classes from './form.module.css'
import { removeValue, setValue } from './form-edits.ts'
import { pointerOf, problemsAt, problemWords, useForm } from './form-state.ts'
import { type Choice, defaultWords, helpOf, inWords } from './form-words.ts'
import { HelpText } from './help.tsx'
import type { FieldProps } from './option-fields.tsx'

/** What stands around every field: name, help, and what is wrong with its value. */
export function useFieldFrame(
  { name, path, schema, isRequired }: FieldProps,
  { isChoice = false } = {},
) {
  const { schema: root, problems, readOnly } = useForm()
  const pointer = pointerOf(path)
  const wrong = problemsAt(problems, pointer).map((one) => problemWords(one, schema.description))
  const unit = schema['x-unit']
  const title = schema.title ?? name
  return {
    'data-field': pointer,
    label: (
      <>
        {title}
        {unit !== undefined && <span className={classes.unit}>{t(', in {unit}', { unit })}</span>}
      </>
    ),
    withAsterisk: isRequired,
    'aria-required': isRequired || undefined,
    description: <HelpText title={title} help={helpOf(root, schema, { isRequired, isChoice })} />,
    error: wrong.length === 0 ? null : wrong.join(' '),
    inputWrapperOrder: ['label', 'input', 'error', 'description'] as const satisfies string[],
    readOnly,
  }
}

export function TextField(props: FieldProps) {
  const { schema, path, value, isRequired } = props
  const { edit } = useForm()
  const { inputWrapperOrder, ...frame } = useFieldFrame(props)
  const isNumber = typesOf(schema).includes('integer')
  const mayBeEmpty = !isNumber && (schema.minLength ?? 0) === 0 && defaultWords(schema) !== null
  const words = inWords(value, schema['x-unit'])
  const handleBlur = () => {
    if (value === '' && !isRequired && !mayBeEmpty) edit((text) => removeValue(text, path))
  }
  return (
    <div>
      <TextInput
        {...frame}
        inputWrapperOrder={[...inputWrapperOrder]}
        value={value === undefined || value === null ? '' : String(value)}
        placeholder={value === undefined && schema.default != null ? String(schema.default) : ''}
        inputMode={isNumber && typesOf(schema).length === 1 ? 'numeric' : undefined}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        data-number={isNumber}
        classNames={{ input: classes.input ?? '' }}
        rightSection={words === '' ? undefined : <span className={classes.words}>{words}</span>}
        rightSectionWidth={words === '' ? undefined : `calc(${words.length}ch + 16px)`}
        rightSectionPointerEvents="none"
        onChange={(event) => {
          const typed = event.currentTarget.value
          edit((text) => setValue(text, path, isNumber ? asNumber(typed) : typed))
        }}
        onBlur={handleBlur}
      />
      {mayBeEmpty && <UseDefault {...props} />}
    </div>
  )
}

/** What is no number is written as it was typed: the node then says what belongs here. */
function asNumber(typed: string): number | string {
  const number = Number(typed)
  return /^-?\d/.test(typed) && String(number) === typed ? number : typed
}

/** For what may also be empty on purpose: clearing the field does not bring the default back. */
export function UseDefault({ path, schema, name, value }: FieldProps) {
  const { edit, readOnly } = useForm()
  const isSame = JSON.stringify(value) === JSON.stringify(schema.default)
  if (value === undefined || isSame || readOnly) return null
  return (
    <Button
      size="compact-xs"
      variant="default"
      mt={4}
      aria-label={t('Use the default of {title}', { title: schema.title ?? name })}
      onClick={() => edit((text) => removeValue(text, path))}
    >
      {t('Use the default')}
    </Button>
  )
}

export function ChoiceField({ choices, ...props }: FieldProps & { choices: Choice[] }) {
  const { schema, path, value, isRequired } = props
  const { edit } = useForm()
  const { inputWrapperOrder, readOnly, ...frame } = useFieldFrame(props, { isChoice: true })
  const fallback =
    choices.find((choice) => choice.value === schema.default)?.label ?? defaultWords(schema)
  const unset = {
    value: '',
    label: fallback === null ? t('not set') : t('{fallback} (default)', { fallback }),
  }
  return (
    <NativeSelect
      {...frame}
      inputWrapperOrder={[...inputWrapperOrder]}
      disabled={readOnly}
      value={value === undefined ? '' : JSON.stringify(value)}
      data={[
        ...(isRequired && value !== undefined ? [] : [unset]),
        ...choices.map((choice) => ({ ...choice, value: JSON.stringify(choice.value) })),
      ]}
      onChange={(event) => {
        const chosen = event.currentTarget.value
        edit((text) =>
          chosen === '' ? removeValue(text, path) : setValue(text, path, JSON.parse(chosen)),
        )
      }}
    />
  )
}
