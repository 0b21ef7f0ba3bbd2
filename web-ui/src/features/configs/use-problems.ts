// SPDX-License-Identifier: MIT
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { configSchemaQuery, validationQuery } from './api.ts'
import { type Problem, problemsOfConsole, problemsOfNode } from './problems.ts'
import type { CheckState } from './problems-panel.tsx'
import type { SchemaNode } from './schema-walk.ts'

const CHECK_AFTER_MS = 400

export type Checked = { schema: SchemaNode | null; problems: Problem[]; check: CheckState }

/** The node's findings when they are about exactly this text, else our own: never both, never old ones. */
export function useProblems(text: string): Checked {
  const schema = useQuery(configSchemaQuery).data ?? null
  const [settled] = useDebouncedValue(text, CHECK_AFTER_MS)
  const validation = useQuery(validationQuery(settled))
  const answer = settled === text ? validation.data : undefined
  const problems = useMemo(
    () =>
      answer === undefined ? problemsOfConsole(text, schema) : problemsOfNode(text, answer.errors),
    [text, schema, answer],
  )
  if (answer !== undefined) return { schema, problems, check: { kind: 'checked' } }
  if (settled === text && validation.isError) {
    const onRetry = () => void validation.refetch()
    return { schema, problems, check: { kind: 'unchecked', error: validation.error, onRetry } }
  }
  return { schema, problems, check: { kind: 'checking' } }
}
