// SPDX-License-Identifier: MIT
// What the tests of messages hold answers against, and a part that several of them say.
import { readProtocolSchemas } from '../../src/agent-protocol/message-types.ts'
import { createAjv } from '../../src/plugins/validation.ts'

const answers = createAjv(false)
for (const schema of readProtocolSchemas().values()) answers.addSchema(schema)

/** Throws where an answer is none of its schema. */
export const fits = (message: string, body: unknown) => {
  const name = `${message}.schema.json`
  if (!answers.validate(name, body)) throw new Error(`${name}: ${answers.errorsText()}`)
  return true
}

export const effectiveOf = (generation: number, digest: string) => ({
  generation,
  digest,
  bootId: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  reloads: 1,
})
