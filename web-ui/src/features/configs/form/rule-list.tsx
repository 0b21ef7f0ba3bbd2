// SPDX-License-Identifier: MIT
// A list of rules: added, taken out and put in order by buttons, for in most lists the first that
// fits counts. The focus stays with the rule that moves.

import { ActionIcon, Button } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react'
import { ActionButton } from '../../../components/action-button.tsx'
import { t } from '../../../languages/t.ts'
import { type Path, type SchemaNode, schemaAt, typesOf } from '../schema-walk.ts'
import { Disclosure } from './disclosure.tsx'
import classes from './form.module.css'
import { appendItem, moveItem, removeValue } from './form-edits.ts'
import { fieldSelector, pointerOf, problemsAt, problemWords, useForm } from './form-state.ts'
import { capital, itemHeading, itemName, itemSummary } from './form-words.ts'
import { OptionFields } from './option-fields.tsx'
import { foldOf } from './order.ts'

export type RuleListProps = {
  name: string
  path: Path
  schema: SchemaNode
  items: unknown[] | undefined
  level: number
}

export function RuleList({ name, path, schema, items, level }: RuleListProps) {
  const form = useForm()
  const pointer = pointerOf(path)
  const count = items?.length ?? 0
  const one = itemName(name)
  const isOfCards = name === 'sites'
  const add = () => {
    const item = schemaAt(form.schema, [...path, count])
    form.edit((text) => appendItem(text, path, starter(item)))
    form.setOpen(`${pointer}/${count}`, true)
    // Who adds a rule has yet to choose what it does; a site has too much of that to begin with.
    if (!isOfCards) form.setOpen(foldOf([...path, count]), true)
    form.focusLater(fieldsOf(`${pointer}/${count}/`))
    form.announce(t('{one} {count} is added.', { one: capital(one), count: count + 1 }))
  }
  return (
    <>
      {items === undefined && <DefaultItems schema={schema} />}
      {count > 0 && (
        <ol className={isOfCards ? classes.cards : classes.rules}>
          {items?.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is what stands at its place in the text
            <li key={index}>
              <Rule
                path={[...path, index]}
                name={name}
                value={item}
                index={index}
                count={count}
                level={level}
                isMovable={count > 1}
                isCard={isOfCards}
              />
            </li>
          ))}
        </ol>
      )}
      {!form.readOnly && (
        <ActionButton
          size="compact-sm"
          variant="default"
          data-field={`${pointer}/-`}
          blockedBy={
            count >= (schema.maxItems ?? Number.POSITIVE_INFINITY)
              ? t('There may be {maxItems} at most.', { maxItems: schema.maxItems })
              : null
          }
          onClick={add}
        >
          {t('Add {one}', { one })}
        </ActionButton>
      )}
    </>
  )
}

function DefaultItems({ schema }: { schema: SchemaNode }) {
  const items = Array.isArray(schema.default) ? schema.default : []
  if (items.length === 0 || schema.items === undefined) return null
  const { items: each } = schema
  return (
    <p className={classes.help}>
      {t('As long as none is written here: {items}.', {
        items: items.map((one) => itemSummary(each, one)).join('; '),
      })}
    </p>
  )
}

type RuleProps = {
  path: Path
  /** Of the list. */
  name: string
  value: unknown
  index: number
  count: number
  level: number
  isMovable: boolean
  isCard: boolean
}

function Rule({ path, name, value, index, count, level, isMovable, isCard }: RuleProps) {
  const form = useForm()
  const schema = schemaAt(form.schema, path)
  const pointer = pointerOf(path)
  const list = pointerOf(path.slice(0, -1))
  if (schema === null) return null
  const { title, summary } = itemHeading(name, schema, value, index)
  const move = (to: number) => {
    form.edit((text) => moveItem(text, path.slice(0, -1), index, to))
    form.renumber(list, (old) => (old === index ? to : old === to ? index : old))
    const way = to < index ? 'up' : 'down'
    const isLast = to === 0 || to === count - 1
    const other = way === 'up' ? 'down' : 'up'
    form.focusLater(`[data-move="${isLast ? other : way} ${CSS.escape(`${list}/${to}`)}"]`)
    form.announce(t('It is number {to} of {count} now.', { to: to + 1, count }))
  }
  const remove = () => {
    form.edit((text) => removeValue(text, path))
    form.renumber(list, (old) => (old === index ? null : old > index ? old - 1 : old))
    const next = Math.min(index, count - 2)
    form.focusLater(fieldSelector(next < 0 ? list : `${list}/${next}`))
    form.announce(t('{title} is removed.', { title }))
  }
  return (
    <Disclosure
      pointer={pointer}
      level={level}
      title={title}
      summary={summary}
      isCard={isCard}
      actions={
        !form.readOnly && (
          <span className={classes.actions}>
            {isMovable && (
              <>
                <IconButton
                  label={t('Move {title} up', { title })}
                  move={`up ${pointer}`}
                  disabled={index === 0}
                  onClick={() => move(index - 1)}
                >
                  <IconArrowUp size={16} aria-hidden />
                </IconButton>
                <IconButton
                  label={t('Move {title} down', { title })}
                  move={`down ${pointer}`}
                  disabled={index === count - 1}
                  onClick={() => move(index + 1)}
                >
                  <IconArrowDown size={16} aria-hidden />
                </IconButton>
              </>
            )}
            <IconButton label={t('Remove {title}', { title })} onClick={remove}>
              <IconTrash size={16} aria-hidden />
            </IconButton>
          </span>
        )
      }
    >
      {problemsAt(form.problems, pointer).map((problem) => (
        <p key={problem.code} className={classes.problems}>
          {problemWords(problem)}
        </p>
      ))}
      {typeof value === 'object' && value !== null && !Array.isArray(value) ? (
        <OptionFields
          path={path}
          schema={schema}
          value={value as Record<string, unknown>}
          level={level + 1}
        />
      ) : (
        <Button size="compact-xs" variant="default" onClick={() => form.showInText(pointer)}>
          {t('Show in the text')}
        </Button>
      )}
    </Disclosure>
  )
}

type IconButtonProps = {
  label: string
  move?: string
  disabled?: boolean
  onClick: () => void
  children: React.ReactNode
}

function IconButton({ label, move, disabled = false, onClick, children }: IconButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      data-move={move}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  )
}

const fieldsOf = (prefix: string) =>
  `[data-field^="${CSS.escape(prefix)}"]:is(input, select, textarea)`

/** What must be given, still empty: the fields then say what belongs there. */
function starter(item: SchemaNode | null): Record<string, unknown> {
  const names = item?.required ?? []
  return Object.fromEntries(
    names.map((name) => {
      const option = item?.properties?.[name]
      return [name, option === undefined ? '' : emptyOf(option)]
    }),
  )
}

function emptyOf(option: SchemaNode): unknown {
  if (option.default !== undefined) return option.default
  if (option.enum !== undefined) return option.enum[0]
  const [type] = typesOf(option)
  if (type === 'array') return []
  return type === 'integer' ? (option.minimum ?? 0) : ''
}
