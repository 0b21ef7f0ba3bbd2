// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../languages/t.ts'
import { methodsQuery, startUrl } from './api.ts'
import { explain, type OidcProblem } from './rules.ts'

export type OidcSignInProps = { next: string; problem: OidcProblem | undefined }

/** The other way in, where there is one; and why it did not lead in. */
export function OidcSignIn({ next, problem }: OidcSignInProps) {
  const methods = useQuery(methodsQuery)
  const oidc = methods.data?.oidc ?? null
  return (
    <>
      {problem !== undefined && <OidcProblemNotice problem={problem} />}
      {oidc !== null && (
        <Button component="a" href={startUrl(next)} variant="default" fullWidth>
          {t('Sign in with {label}', { label: oidc.label })}
        </Button>
      )}
    </>
  )
}

export function OidcProblemNotice({ problem }: { problem: OidcProblem }) {
  const { title, text } = explain(problem)
  return (
    <Notice tone="bad" title={title}>
      {text}
    </Notice>
  )
}
