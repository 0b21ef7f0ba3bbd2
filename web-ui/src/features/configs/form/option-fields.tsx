// SPDX-License-Identifier: MIT
// The options of one object: what is set before what is folded away as by default, and of either
// what must be given first, then single values, then sections.

import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../../languages/t.ts'
import { kindsOf, type Path, type SchemaNode, schemaAt, typesOf } from '../schema-walk.ts'
import { Disclosure, Fold } from './disclosure.tsx'
import classes from './form.module.css'
import { removeValue } from './form-edits.ts'
import { pointerOf, problemsAt, problemWords, useForm } from './form-state.ts'
import { choicesOf, sectionHelp, summaryOf } from './form-words.ts'
import { HelpText } from './help.tsx'
import { ListField } from './list-field.tsx'
import { MapField } from './map-field.tsx'
import { foldOf, frontOf, isInFront } from './order.ts'
import { RuleList } from './rule-list.tsx'
import { ChoiceField, TextField } from './single-fields.tsx'

export type OptionFieldsProps = {
  path: Path
  schema: SchemaNode
  value: Record<string, unknown>
  /** Of the headings in it. */
  level: number
}

export function OptionFields({ path, schema, value, level }: OptionFieldsProps) {
  const { schema: root, problems, isOpen } = useForm()
  const options = Object.keys(schema.properties ?? {}).flatMap((name): Option[] => {
    const here = isSites([...path, name]) ? null : schemaAt(root, [...path, name])
    return here === null ? [] : [{ name, path: [...path, name], schema: here }]
  })
  const names = options.map(({ name }) => name)
  const inFront = names.filter((name) => isInFront(name, { path, schema, value }, problems))
  const [front, setFront] = useState(() => frontOf(path, names, inFront))
  const fold = foldOf(path)
  // A field stays where it is while somebody types in it, set or not. With the fold closed nobody
  // types in there, and what the text has meanwhile comes to the front.
  if (!isOpen(fold) && inFront.some((name) => !front.has(name))) {
    setFront(new Set([...front, ...inFront]))
  }
  const [shown, folded] = [
    options.filter(({ name }) => front.has(name)),
    options.filter(({ name }) => !front.has(name)),
  ]
  const fields = { required: new Set(schema.required), value, level }
  return (
    <div className={classes.options}>
      <UnknownOptions path={path} schema={schema} value={value} />
      <Options options={shown} {...fields} />
      {folded.length > 0 && (
        <Fold
          pointer={fold}
          count={folded.length}
          onClose={() => setFront(frontOf(path, names, inFront))}
        >
          <Options options={folded} {...fields} />
        </Fold>
      )}
    </div>
  )
}

type OptionsProps = Pick<OptionFieldsProps, 'value' | 'level'> & {
  options: readonly Option[]
  required: ReadonlySet<string>
}

function Options({ options, required, value, level }: OptionsProps) {
  const single = options
    .filter((option) => !isSection(option.schema))
    .sort((a, b) => Number(required.has(b.name)) - Number(required.has(a.name)))
  return (
    <>
      {single.length > 0 && (
        <div className={classes.fields}>
          {single.map((option) => (
            <Field
              key={option.name}
              {...option}
              value={value[option.name]}
              isRequired={required.has(option.name)}
            />
          ))}
        </div>
      )}
      {options
        .filter((option) => isSection(option.schema))
        .map((option) => (
          <Section key={option.name} {...option} value={value[option.name]} level={level} />
        ))}
    </>
  )
}

/** They have a place of their own, before all else. */
const isSites = (path: Path) => pointerOf(path) === '/sites'

type SitesProps = { schema: SchemaNode; value: unknown; level: number }

export function Sites({ schema, value, level }: SitesProps) {
  const Heading = `h${level}` as 'h2'
  return (
    <section className={classes.part}>
      <Heading data-field="/sites" tabIndex={-1}>
        {schema.title}
      </Heading>
      <SectionBody name="sites" path={['sites']} schema={schema} value={value} level={level} />
    </section>
  )
}

type Option = { name: string; path: Path; schema: SchemaNode }

/** What has parts of its own gets a section; a list of words is a field. */
function isSection(schema: SchemaNode): boolean {
  const [type] = typesOf(schema)
  if (type === 'object') return true
  return type === 'array' && schema.items !== undefined && typesOf(schema.items)[0] === 'object'
}

export type FieldProps = {
  name: string
  path: Path
  schema: SchemaNode
  value: unknown
  isRequired: boolean
}

function Field(props: FieldProps) {
  const { schema: root, showInText } = useForm()
  const { schema, value, path } = props
  const [type] = typesOf(schema)
  if (!isShowable(schema, value)) {
    return (
      <div className={classes.odd}>
        <strong>{schema.title ?? props.name}</strong>
        <Problems pointer={pointerOf(path)} />
        <Button size="compact-xs" variant="default" onClick={() => showInText(pointerOf(path))}>
          {t('Show in the text')}
        </Button>
      </div>
    )
  }
  if (type === 'array') return <ListField {...props} />
  const choices = kindsOf(root, schema).length === 1 ? choicesOf(root, schema, path) : null
  const isChoice =
    choices !== null && (value === undefined || choices.some((choice) => choice.value === value))
  return isChoice ? <ChoiceField {...props} choices={choices} /> : <TextField {...props} />
}

/** Whether a field can hold what the text has there; a list where a word should be it cannot. */
function isShowable(schema: SchemaNode, value: unknown): boolean {
  if (value === undefined) return true
  if (typesOf(schema)[0] !== 'array') return typeof value !== 'object'
  return (
    Array.isArray(value) && value.every((one) => typeof one === 'string' && !/[\r\n]/.test(one))
  )
}

type SectionProps = Option & { value: unknown; level: number }

function Section(props: SectionProps) {
  const { name, path, schema, value, level } = props
  return (
    <Disclosure
      pointer={pointerOf(path)}
      level={level}
      title={schema.title ?? name}
      summary={summaryOf(name, schema, value)}
      isEmpty={value === undefined}
    >
      <SectionBody {...props} />
    </Disclosure>
  )
}

function SectionBody({ name, path, schema, value, level }: SectionProps) {
  const { showInText } = useForm()
  const pointer = pointerOf(path)
  const isList = schema.items !== undefined
  const fits =
    value === undefined ||
    (typeof value === 'object' && value !== null && Array.isArray(value) === isList)
  return (
    <>
      <p className={classes.help}>
        <HelpText title={schema.title ?? name} help={sectionHelp(schema)} />
      </p>
      <Problems pointer={pointer} help={schema.description} />
      {!fits ? (
        <Button size="compact-xs" variant="default" onClick={() => showInText(pointer)}>
          {t('Show in the text')}
        </Button>
      ) : isList ? (
        <RuleList
          name={name}
          path={path}
          schema={schema}
          items={value as unknown[] | undefined}
          level={level + 1}
        />
      ) : schema.properties === undefined ? (
        <MapField name={name} path={path} schema={schema} value={value ?? {}} />
      ) : (
        <OptionFields
          path={path}
          schema={schema}
          value={(value ?? {}) as Record<string, unknown>}
          level={level + 1}
        />
      )}
    </>
  )
}

function Problems({ pointer, help }: { pointer: string; help?: string | undefined }) {
  const found = problemsAt(useForm().problems, pointer)
  if (found.length === 0) return null
  return (
    <ul className={classes.problems}>
      {found.map((problem) => (
        <li key={`${problem.code} ${problem.from}`}>{problemWords(problem, help)}</li>
      ))}
    </ul>
  )
}

/** What the text has and the node does not know: shown, for it must not be lost from sight. */
function UnknownOptions({ path, schema, value }: Omit<OptionFieldsProps, 'level'>) {
  const { problems, readOnly, edit } = useForm()
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(schema.properties ?? {}, key))
  if (unknown.length === 0) return null
  return (
    <ul className={classes.unknown}>
      {unknown.map((key) => {
        const pointer = pointerOf([...path, key])
        const [problem] = problemsAt(problems, pointer)
        return (
          <li key={key} data-field={pointer} tabIndex={-1}>
            <code>{key}</code>
            <span>
              {problem === undefined ? t('is not an option here') : problemWords(problem)}
            </span>
            {!readOnly && (
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => edit((text) => removeValue(text, [...path, key]))}
              >
                {t('Remove {name}', { name: key })}
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
