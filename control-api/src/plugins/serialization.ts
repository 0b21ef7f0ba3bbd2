// SPDX-License-Identifier: MIT
// Answers become text by their schemas: what a schema does not name is not sent.
import type { AnySchemaObject } from 'ajv'
import fastJsonStringify from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'
import { compileWhenCalled } from '../json/compile-once.ts'

const serializer = compileWhenCalled((schema: AnySchemaObject) =>
  fastJsonStringify(withoutNullUnions(schema)),
)

export function serialization(app: FastifyInstance): void {
  app.setSerializerCompiler<AnySchemaObject>(({ schema }) => serializer(schema))
}

/**
 * The library asks a validator which member of a union an answer is, for each object of a list; "this or
 * null" it knows without, as `nullable`, which OpenAPI 3.1 has no more.
 */
export function withoutNullUnions<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(withoutNullUnions) as Schema
  if (typeof schema !== 'object' || schema === null) return schema
  const { anyOf, ...rest } = schema as AnySchemaObject
  const one = ofOneOrNull(anyOf)
  const plain = one ? { ...rest, ...one, nullable: true } : schema
  return Object.fromEntries(
    Object.entries(plain).map(([key, value]) => [key, withoutNullUnions(value)]),
  ) as Schema
}

function ofOneOrNull(anyOf: unknown): AnySchemaObject | null {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null
  const [one, other] = anyOf
  return typeof one.type === 'string' && other.type === 'null' ? one : null
}
