// SPDX-License-Identifier: MIT
// Bodies are held against the very files that the node's tests read.
import type { Ajv } from 'ajv'
import { readProtocolSchemas } from '../agent-protocol/message-types.ts'
import type { App } from '../http/app-types.ts'
import { compileWhenCalled } from '../json/compile-once.ts'
import { createAjv } from '../plugins/validation.ts'

export function useProtocolSchemas(app: App): void {
  app.setValidatorCompiler<{ $ref: string }>(({ schema }) => validatorOf(schema))
}

const validatorOf = compileWhenCalled(({ $ref }: { $ref: string }) => {
  protocol ??= readProtocol()
  const validate = protocol.compile({ $ref })
  return (message: unknown) => (validate(message) ? true : { error: validate.errors ?? [] })
})
let protocol: Ajv | null = null

function readProtocol(): Ajv {
  const ajv = createAjv(false)
  for (const schema of readProtocolSchemas().values()) ajv.addSchema(schema)
  return ajv
}
