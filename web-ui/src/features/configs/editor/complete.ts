// SPDX-License-Identifier: MIT
// Completion and hover help, both from the node's schema: names, values, what each option does.

import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { hoverTooltip } from '@codemirror/view'
import { findNodeAtLocation, getLocation, parseTree } from 'jsonc-parser'
import { t } from '../../../languages/t.ts'
import {
  expectation,
  kindsOf,
  listedValues,
  type SchemaNode,
  schemaAt,
  typesOf,
} from '../schema-walk.ts'

export function completeConfig(schema: SchemaNode | null) {
  return (context: CompletionContext): CompletionResult | null => {
    if (schema === null) return null
    const text = context.state.doc.toString()
    const location = getLocation(text, context.pos)
    const word = context.matchBefore(/"?[\w.-]*/)
    if (!context.explicit && (word === null || word.from === word.to)) return null
    const from =
      location.previousNode !== undefined && covers(location.previousNode, context.pos)
        ? location.previousNode.offset
        : (word?.from ?? context.pos)
    const options = location.isAtPropertyKey
      ? keyOptions(schema, text, location.path.slice(0, -1), context)
      : valueOptions(schema, location.path)
    return options.length === 0 ? null : { from, options, validFor: /^"?[\w.-]*"?$/ }
  }
}

const covers = (node: { offset: number; length: number }, pos: number) =>
  node.offset <= pos && pos <= node.offset + node.length

function keyOptions(
  schema: SchemaNode,
  text: string,
  path: (string | number)[],
  context: CompletionContext,
): Completion[] {
  const here = schemaAt(schema, path)
  if (here === null) return []
  const root = parseTree(text)
  const object = root === undefined ? undefined : findNodeAtLocation(root, path)
  const given = new Set(object?.children?.map((child) => String(child.children?.[0]?.value)))
  const hasColon = /^"?\s*:/.test(context.state.sliceDoc(context.pos, context.pos + 20))
  return kindsOf(schema, here).flatMap((kind) =>
    Object.keys(kind.properties ?? {})
      .filter((name) => !given.has(name))
      .map((name): Completion => {
        const property = schemaAt(schema, [...path, name])
        return {
          label: `"${name}"`,
          detail: property === null ? '' : expectation(schema, property),
          ...(property?.description !== undefined && { info: property.description }),
          apply: hasColon ? `"${name}"` : `"${name}": ${starterOf(property)}`,
          type: 'property',
        }
      }),
  )
}

/** What a new option starts with: its default, or the empty value of its type. */
function starterOf(property: SchemaNode | null): string {
  if (property === null) return ''
  if (property.default !== undefined) return JSON.stringify(property.default)
  const [type] = typesOf(property)
  return type === 'object' ? '{}' : type === 'array' ? '[]' : type === 'string' ? '""' : ''
}

function valueOptions(schema: SchemaNode, path: (string | number)[]): Completion[] {
  const here = schemaAt(schema, path)
  if (here === null) return []
  const values = listedValues(schema, here)
  const all =
    here.default === undefined || values.includes(here.default) ? values : [...values, here.default]
  return all.map((value) => ({
    label: JSON.stringify(value),
    type: 'constant',
    ...(value === here.default && { detail: 'default' }),
  }))
}

export function configHover(schema: SchemaNode | null) {
  return hoverTooltip((view, pos) => {
    const help = schema === null ? null : helpAt(schema, view.state.doc.toString(), pos)
    if (help === null) return null
    return { pos: help.from, end: help.to, above: true, create: () => ({ dom: helpBox(help) }) }
  })
}

export type Help = { from: number; to: number; name: string; text: string; facts: string }

export function helpAt(schema: SchemaNode, text: string, pos: number): Help | null {
  const { path, previousNode } = getLocation(text, pos)
  const option = schemaAt(schema, path)
  if (option === null || previousNode === undefined || !covers(previousNode, pos)) return null
  const fallback =
    option.default === undefined
      ? ''
      : t('; default {default}', { default: JSON.stringify(option.default) })
  const unit =
    option['x-unit'] === undefined ? '' : t(', in {option}', { option: option['x-unit'] })
  const restart = option['x-live'] === false ? t(' Takes effect when the node restarts.') : ''
  return {
    from: previousNode.offset,
    to: previousNode.offset + previousNode.length,
    name: option.title ?? path.filter((key) => typeof key === 'string').join('.'),
    text: option.description ?? '',
    facts: `${expectation(schema, option)}${unit}${fallback}.${restart}`,
  }
}

function helpBox(help: Help): HTMLElement {
  const box = document.createElement('div')
  box.className = 'cm-completionInfo'
  const name = document.createElement('strong')
  name.textContent = help.name
  const text = document.createElement('div')
  text.textContent = help.text
  const facts = document.createElement('div')
  facts.textContent = help.facts
  box.append(name, text, facts)
  return box
}
