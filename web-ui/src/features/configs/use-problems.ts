// SPDX-License-Identifier: MIT
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { configSchemaQuery, validationQuery } from './api.ts'
import { type Problem, problemsOfConsole, problemsOfNode } from './problems.ts'
import type { CheckState } from './problems-panel.tsx'
import type { SchemaNode } from './schema-walk.ts'

const CHECK_AFTER_MS = 400

/** Why there is no schema, and how to ask again. */
export type SchemaTrouble = { error: unknown; onRetry: () => void }
export type Checked = {
  schema: SchemaNode | null
  schemaTrouble: SchemaTrouble | null
  problems: Problem[]
  check: CheckState
}

/** The node's findings when they are about exactly this text, else our own: never both, never old ones. */
export function useProblems(text: string): Checked {
  const asked = useQuery(configSchemaQuery)
  const schema = asked.data ?? null
  const schemaTrouble =
    asked.isError && schema === null
      ? { error: asked.error, onRetry: () => void asked.refetch() }
      : null
  const [settled] = useDebouncedValue(text, CHECK_AFTER_MS)
  const validation = useQuery(validationQuery(settled))
  const answer = settled === text ? validation.data : undefined
  const problems = useMemo(
    () =>
      answer === undefined ? problemsOfConsole(text, schema) : problemsOfNode(text, answer.errors),
    [text, schema, answer],
  )
  const found = { schema, schemaTrouble, problems }
  if (answer !== undefined) return { ...found, check: { kind: 'checked' } }
  if (settled === text && validation.isError) {
    const onRetry = () => void validation.refetch()
    return { ...found, check: { kind: 'unchecked', error: validation.error, onRetry } }
  }
  return { ...found, check: { kind: 'checking' } }
}
