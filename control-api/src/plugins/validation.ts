// SPDX-License-Identifier: MIT
// How requests are held against their schemas. Fastify's own way would bend a body into shape
// ("5" becomes 5, unknown members vanish); here a body fits or is refused. Query and path values are
// text by nature, so those are converted.
import { Ajv, type AnySchemaObject } from 'ajv'
import type { FastifyInstance } from 'fastify'
import { compileWhenCalled } from '../json/compile-once.ts'
import { isSchema } from '../json/json-schema.ts'

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** Date.parse takes the 30th of February for the 2nd of March, and 24 o'clock for the day after. */
function isMoment(text: string): boolean {
  if (!RFC3339.test(text) || Number.isNaN(Date.parse(text))) return false
  const [day = '', time = ''] = text.split('T')
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) && !time.startsWith('24')
}

export function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    // What is refused comes with the schema it was held against: what may have been meant is in it.
    verbose: true,
    coerceTypes,
    useDefaults: true,
    removeAdditional: false,
    // One error is enough to refuse; collecting them all costs time an attacker can choose.
    allErrors: false,
    strict: true,
    strictTypes: false,
    strictRequired: false,
  })
  ajv.addFormat('date-time', isMoment)
  return ajv
}

const validatorsOf = (ajv: Ajv) =>
  compileWhenCalled((schema: AnySchemaObject) => {
    const validate = ajv.compile(schema)
    return (value: unknown) => (validate(value) ? true : { error: validate.errors ?? [] })
  })
const bodyValidator = validatorsOf(createAjv(false))
const textValidator = validatorsOf(createAjv(true))

/** Must be called before the routes are described. */
export function strictValidation(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    // The console's pages take theirs in the browser.
    if (route.url.includes('*')) return
    route.schema = { ...route.schema, querystring: closed(route.schema?.querystring) }
  })
  app.setValidatorCompiler<AnySchemaObject>(({ schema, httpPart }) =>
    httpPart === 'body' ? bodyValidator(schema) : textValidator(schema),
  )
}

const NO_QUERY = { additionalProperties: false, type: 'object', properties: {} }

/** A misspelt `dryRun` that nobody minds would do what was only to be looked at. Who takes anything says so. */
function closed(querystring: unknown) {
  if (!isSchema(querystring)) return NO_QUERY
  if ('additionalProperties' in querystring) return querystring
  const copy = closedCopies.get(querystring) ?? { additionalProperties: false, ...querystring }
  closedCopies.set(querystring, copy)
  return copy
}

/** A schema's copy is the same each time, and so is known to be compiled already. */
const closedCopies = new WeakMap<object, object>()
