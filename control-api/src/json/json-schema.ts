// SPDX-License-Identifier: MIT
// Reading schemas as data.

export type JsonSchema = { [keyword: string]: unknown }

export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const hasProperty = (schema: unknown, name: string): boolean =>
  isSchema(schema) && isSchema(schema.properties) && name in schema.properties
