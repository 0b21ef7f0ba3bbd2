// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { inSentence, t } from '../languages/t.ts'
import { T } from '../languages/text.tsx'
import { toApiError } from '../lib/api-error.ts'
import { Notice } from './notice.tsx'

export type ErrorBoxProps = { error: unknown; onRetry?: (() => void) | undefined; what?: string }

/** A failure in its own place: what, why, the way on, and the id to look for in the log. */
export function ErrorBox({ error, onRetry, what }: ErrorBoxProps) {
  const problem = toApiError(error)
  return (
    <Notice
      tone="bad"
      title={what === undefined ? problem.title : `${what}: ${inSentence(problem.title)}`}
      {...(onRetry !== undefined && {
        action: (
          <Button variant="default" size="xs" onClick={onRetry}>
            {t('Try again')}
          </Button>
        ),
      })}
    >
      <span lang={problem.isEnglish ? 'en' : undefined}>{problem.message}</span>
      {problem.requestId !== null && problem.status !== 404 && (
        <div className="dim">
          <T text="Request {requestId}" requestId={<code>{problem.requestId}</code>} />
        </div>
      )}
    </Notice>
  )
}
