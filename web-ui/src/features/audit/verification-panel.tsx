// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CopyField } from '../../components/copy-field.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { AuditVerification } from '../../lib/api-types.ts'
import { formatDateTime } from '../../lib/time.ts'
import { verificationQuery, verifyMutation } from './api.ts'
import { verificationVerdict } from './rules.ts'

/** Is it as it was written? */
export function VerificationPanel() {
  const client = useQueryClient()
  const verification = useQuery(verificationQuery)
  const verify = useMutation({
    ...verifyMutation,
    onSuccess: (state) => client.setQueryData(verificationQuery.queryKey, state),
  })
  const running = verification.data?.state === 'running'
  return (
    <section className="panel" aria-labelledby="verification-heading">
      <div className="panel-head">
        <h2 id="verification-heading">{t('Is it as it was written?')}</h2>
        {verification.data !== undefined && (
          <StatusBadge verdict={verificationVerdict[verification.data.state]} />
        )}
        <span className="grow" />
        <Button
          variant="default"
          size="xs"
          loading={verify.isPending || running}
          onClick={() => verify.mutate()}
        >
          {t('Verify now')}
        </Button>
      </div>
      <div className="panel-body stack-tight">
        {verify.isError && <ErrorBox what={t('Not verified')} error={verify.error} />}
        <QueryStates query={verification} what={t('The verification')} skeletonRows={2}>
          {(state) => <Outcome verification={state} />}
        </QueryStates>
      </div>
    </section>
  )
}

function Outcome({ verification }: { verification: AuditVerification }) {
  const { state, rows, brokenAt, reason, head, headId, checkedAt } = verification
  if (state === 'never') {
    return (
      <p className="dim">
        {t(
          'Each entry carries a digest over itself and the one before it. Verifying them finds what was changed, removed or moved.',
        )}
      </p>
    )
  }
  if (state === 'broken') {
    return (
      <Notice tone="bad" title={t('It breaks at entry {brokenAt}', { brokenAt })}>
        {t(
          '{reason}. {rows, plural, one {# entry} other {# entries}} before it are as they were written. Keep a copy of the data folder before anything else, and compare with an export from before.',
          { reason, rows },
        )}
      </Notice>
    )
  }
  if (state === 'running')
    return (
      <p role="status">{t('{rows, plural, one {# entry} other {# entries}} so far…', { rows })}</p>
    )
  return (
    <>
      <p>
        {t('{rows, plural, one {# entry} other {# entries}}, each as it was written', { rows })}
        {checkedAt !== null &&
          t('; verified {checkedAt}', { checkedAt: formatDateTime(checkedAt) })}
        .
      </p>
      <CopyField
        label={t('Its head, entry {headId}: note it elsewhere', { headId })}
        value={head}
      />
      <p className="dim">
        <T
          text="Entries missing at the end show only by comparison with a head noted elsewhere: <code>admin verify-audit --head</code> compares."
          code={<code />}
        />
      </p>
    </>
  )
}
