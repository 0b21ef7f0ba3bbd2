// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { toApiError } from '../lib/api-error.ts'
import { Notice } from './notice.tsx'

export type ErrorBoxProps = { error: unknown; onRetry?: (() => void) | undefined; what?: string }

/** A failure in its own place: what, why, the way on, and the id to look for in the log. */
export function ErrorBox({ error, onRetry, what }: ErrorBoxProps) {
  const problem = toApiError(error)
  return (
    <Notice
      tone="bad"
      title={what === undefined ? problem.title : `${what}: ${problem.title.toLowerCase()}`}
      {...(onRetry !== undefined && {
        action: (
          <Button variant="default" size="xs" onClick={onRetry}>
            Try again
          </Button>
        ),
      })}
    >
      {problem.message}
      {problem.requestId !== null && problem.status !== 404 && (
        <div className="dim">
          Request <code>{problem.requestId}</code>
        </div>
      )}
    </Notice>
  )
}
