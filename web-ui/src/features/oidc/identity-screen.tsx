// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Facts } from '../../components/facts.tsx'
import { Page } from '../../components/page.tsx'
import { noProof, ProofFields, proofBody } from '../../components/proof-fields.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { Session } from '../../lib/api-types.ts'
import { identityQuery, linkMutation, methodsQuery, unlinkMutation } from './api.ts'
import { OidcProblemNotice } from './oidc-sign-in.tsx'
import type { OidcProblem } from './rules.ts'

export type IdentityScreenProps = {
  session: Session
  problem: OidcProblem | undefined
  /** Leaves the console. */
  onLeave: (url: string) => void
}

export function IdentityScreen({ session, problem, onLeave }: IdentityScreenProps) {
  const methods = useQuery(methodsQuery)
  return (
    <Page
      width="text"
      title={t('Single sign-on')}
      meta={t('Your account at your organisation’s identity provider.')}
    >
      {problem !== undefined && <OidcProblemNotice problem={problem} />}
      <section className="panel" aria-label={t('Single sign-on')}>
        <QueryStates query={methods} what={t('The ways to sign in')} skeletonRows={2}>
          {({ oidc }) =>
            oidc === null ? (
              <EmptyState title={t('No identity provider')}>
                {t(
                  'This control plane knows none. Its operator sets one up with FARMSTEAD_OIDC_ISSUER.',
                )}
              </EmptyState>
            ) : (
              <Identity label={oidc.label} secondFactor={session.secondFactor} onLeave={onLeave} />
            )
          }
        </QueryStates>
      </section>
    </Page>
  )
}

type IdentityProps = { label: string; secondFactor: boolean; onLeave: (url: string) => void }

function Identity({ label, secondFactor, onLeave }: IdentityProps) {
  const identity = useQuery(identityQuery)
  return (
    <QueryStates query={identity} what={t('Your identity')} skeletonRows={2}>
      {({ identity: linked, canUnlink }) => (
        <div className="stack panel-body">
          {linked === null ? (
            <Link label={label} secondFactor={secondFactor} onLeave={onLeave} />
          ) : (
            <>
              <Facts
                facts={[
                  { name: t('Provider'), value: linked.issuer },
                  { name: t('You there'), value: linked.subject },
                  { name: t('Since'), value: <TimeAgo at={linked.createdAt} /> },
                ]}
              />
              <Unlink label={label} canUnlink={canUnlink} />
            </>
          )}
        </div>
      )}
    </QueryStates>
  )
}

function Link({ label, secondFactor, onLeave }: IdentityProps) {
  const [proof, setProof] = useState(noProof)
  const link = useMutation({ ...linkMutation, onSuccess: ({ url }) => onLeave(url) })
  return (
    <>
      <p>
        {t(
          'Link it, and you can sign in either way. Your roles stay those you have here, whatever your groups are there.',
        )}
      </p>
      <ProofFields proof={proof} secondFactor={secondFactor} onProof={setProof} />
      {link.isError && <ErrorBox what={t('Not linked')} error={link.error} />}
      <div className="row">
        <Button loading={link.isPending} onClick={() => link.mutate(proofBody(proof))}>
          {t('Link {label}', { label })}
        </Button>
      </div>
    </>
  )
}

function Unlink({ label, canUnlink }: { label: string; canUnlink: boolean }) {
  const client = useQueryClient()
  const unlink = useMutation({
    ...unlinkMutation,
    onSuccess: () => client.invalidateQueries(identityQuery),
  })
  const blocked = canUnlink ? null : t('It is your only way in: your account has no password.')
  return (
    <>
      {unlink.isError && <ErrorBox what={t('Not unlinked')} error={unlink.error} />}
      <ActionButton
        variant="default"
        blockedBy={blocked}
        loading={unlink.isPending}
        onClick={() => unlink.mutate()}
      >
        {t('Unlink {label}', { label })}
      </ActionButton>
    </>
  )
}
