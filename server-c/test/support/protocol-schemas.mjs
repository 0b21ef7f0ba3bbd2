// SPDX-License-Identifier: MIT
// The agent protocol's JSON Schemas, compiled once: `validate(name, value)` returns what is wrong.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import AjvModule from 'ajv'

export const protocolDir = fileURLToPath(new URL('../../agent-protocol/', import.meta.url))

const Ajv = AjvModule.default ?? AjvModule
const ajv = new Ajv({ strict: true, strictRequired: false, allErrors: true })

export const schemaNames = readdirSync(`${protocolDir}schemas`)
for (const name of schemaNames) {
  ajv.addSchema(JSON.parse(readFileSync(`${protocolDir}schemas/${name}`, 'utf8')), name)
}

/** @param {string} name such as "ack.request" @param {unknown} value @returns {string[]} */
export function validate(name, value) {
  const check = ajv.getSchema(`${name}.schema.json`)
  if (!check) throw new Error(`there is no schema ${name}`)
  if (check(value)) return []
  return (check.errors ?? []).map((e) => `${e.instancePath || '/'} ${e.message}`)
}
