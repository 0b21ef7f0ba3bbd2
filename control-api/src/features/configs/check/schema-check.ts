// SPDX-License-Identifier: MIT
// Checks a document against the node's JSON Schema and says each problem once, in a sentence, at its
// own place in the text. A first filter with quick answers: the node's own check has the last word.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { ConfigError } from '../../../api-shapes/common.ts'
import { nearestName } from '../../../base/nearest-name.ts'
import { compileOnce } from '../../../json/compile-once.ts'
import type { SchemaNode } from '../text/schema-walk.ts'
import {
  type ConfigText,
  MAX_ERRORS,
  nodeAt,
  pointerTo,
  positionsIn,
  WHOLE_DOCUMENT,
} from '../text/text.ts'

type Parsed = Extract<ConfigText, { ok: true }>
export type SchemaCheck = (text: string, parsed: Parsed) => ConfigError[]

const validatorOf = compileOnce((schema: SchemaNode) => {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    logger: false,
    validateFormats: false,
  })
  return ajv.compile(schema)
})

export function compileSchemaCheck(schema: SchemaNode): SchemaCheck {
  const validate = validatorOf(schema)
  return (text, parsed) => {
    if (validate(parsed.value)) return []
    // Anybody who may read can ask: a text made of nothing but errors must not hold the service up.
    const errors = oneEach((validate.errors ?? []).slice(0, MAX_EXAMINED)).slice(0, MAX_ERRORS)
    const at = positionsIn(text)
    return errors.map((error) => place(describe(error), parsed, at))
  }
}

type Finding = { pointer: string; onKey: boolean; code: string; message: string; hint: string }

/** Ajv's errors that are looked at; several of them may be about one mistake. */
const MAX_EXAMINED = 10 * MAX_ERRORS

/** An anyOf is reported with all its branches, an enum beside its type: keep the one that says most. A value
 * of another type is no misspelt word. */
function oneEach(errors: readonly ErrorObject[]): ErrorObject[] {
  const alternatives = errors.filter((error) => error.keyword === 'anyOf')
  const branch = (error: ErrorObject) =>
    alternatives.some(
      (any) =>
        any !== error &&
        error.instancePath === any.instancePath &&
        error.schemaPath.startsWith(any.schemaPath),
    )
  const otherTypes = new Set(errors.filter((e) => e.keyword === 'type').map((e) => e.instancePath))
  const seen = new Set<string>()
  return errors.filter((error) => {
    const place = `${error.instancePath}\n${error.propertyName}\n${error.keyword}\n${JSON.stringify(error.params)}`
    // What is wrong with a name is said of the name itself.
    if (error.keyword === 'propertyNames') return false
    if (error.keyword === 'enum' && otherTypes.has(error.instancePath)) return false
    if (branch(error) || seen.has(place)) return false
    seen.add(place)
    return true
  })
}

function describe(error: ErrorObject): Finding {
  const pointer = error.instancePath
  const schema = (error.parentSchema ?? {}) as SchemaNode
  const { params } = error
  const onKey = error.propertyName !== undefined
  const found = (code: string, message: string, hint = ''): Finding => ({
    pointer: onKey ? pointerTo(pointer, error.propertyName ?? '') : pointer,
    onKey,
    code,
    message,
    hint,
  })
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty)
      const nearest = nearestName(key, Object.keys(schema.properties ?? {}))
      return {
        pointer: pointerTo(pointer, key),
        onKey: true,
        code: 'unknown_key',
        message: `there is no option ${JSON.stringify(key)} here`,
        hint: nearest ? `did you mean ${JSON.stringify(nearest)}?` : '',
      }
    }
    case 'required':
      return {
        ...found('missing_key', `${JSON.stringify(params.missingProperty)} is missing`),
        pointer: pointerTo(pointer, String(params.missingProperty)),
      }
    case 'minimum':
    case 'maximum':
      return found('out_of_range', `must be ${range(schema)}, got ${shown(error.data)}`)
    case 'pattern':
      if (wordOf(schema) === null) break
      return found('wrong_type', `must be ${expectation(schema)}, got ${shown(error.data)}`)
    case 'type':
    case 'anyOf':
    case 'const':
      return found('wrong_type', `must be ${expectation(schema)}, got ${shown(error.data)}`)
    case 'enum': {
      const names = (schema.enum ?? []).map(String)
      const nearest = typeof error.data === 'string' ? nearestName(error.data, names) : null
      const hint = nearest ? `did you mean ${JSON.stringify(nearest)}?` : ''
      return found(
        'unknown_value',
        `must be ${expectation(schema)}, got ${shown(error.data)}`,
        hint,
      )
    }
  }
  return found('invalid_value', `${error.message ?? 'is not valid'}, got ${shown(error.data)}`)
}

function expectation(schema: SchemaNode): string {
  if (schema.anyOf) return either(schema.anyOf.map(expectation))
  if (schema.enum) return either(schema.enum.map((value) => JSON.stringify(value)))
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const word = wordOf(schema)
  const nameOf = (type: string) => {
    if (type === 'integer') return range(schema)
    return type === 'string' && word !== null ? JSON.stringify(word) : (TYPE_NAMES[type] ?? type)
  }
  return either([schema.type ?? []].flat().map(nameOf)) || 'valid'
}

/** A text that may only be one word, such as "auto" beside a number. */
const wordOf = (schema: SchemaNode): string | null =>
  /^\^([A-Za-z]+)\$$/.exec(schema.pattern ?? '')?.[1] ?? null

const TYPE_NAMES: Record<string, string> = {
  object: 'an object { }',
  array: 'a list [ ]',
  string: 'a text in double quotes',
  boolean: 'true or false',
  null: 'null',
  number: 'a number',
}

function range({ minimum, maximum }: SchemaNode): string {
  if (minimum !== undefined && maximum !== undefined)
    return `a whole number from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `a whole number of at least ${minimum}`
  return maximum === undefined ? 'a whole number' : `a whole number of at most ${maximum}`
}

const either = (parts: string[]) =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 57)}…"` : text
}

/** What is missing has no place: the object that lacks it, then. */
function place(finding: Finding, parsed: Parsed, at: ReturnType<typeof positionsIn>): ConfigError {
  const { onKey, ...error } = finding
  const { pointer } = finding
  const found =
    nodeAt(parsed.root, pointer) ?? nodeAt(parsed.root, pointer.slice(0, pointer.lastIndexOf('/')))
  const node = onKey ? found?.key : found?.value
  return { ...error, ...(node ? at(node.offset, node.length) : WHOLE_DOCUMENT) }
}
