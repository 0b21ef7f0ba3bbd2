// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Facts } from '../../../components/facts.tsx'
import { Notice } from '../../../components/notice.tsx'
import { t } from '../../../languages/t.ts'
import type { AuthorityTest } from '../../../lib/api-types.ts'
import { sentence } from '../managed/rules.ts'
import { testMutation } from './api.ts'
import { DeleteAuthorityDialog } from './delete-authority-dialog.tsx'

type Props = { name: string; etag: string; blockedBy: string | null; onDeleted: () => void }

export function AuthorityActions({ name, etag, blockedBy, onDeleted }: Props) {
  const [deleting, setDeleting] = useState(false)
  const test = useMutation(testMutation)
  return (
    <section className="panel" aria-label={t('What can be done')}>
      <div className="panel-body stack">
        <div className="row">
          <ActionButton
            blockedBy={blockedBy}
            loading={test.isPending}
            onClick={() => test.mutate(name)}
          >
            {t('Test')}
          </ActionButton>
          {blockedBy === null && (
            <Button variant="danger" onClick={() => setDeleting(true)}>
              {t('Delete')}
            </Button>
          )}
        </div>
        {test.isError && <ErrorBox what={t('Not tested')} error={test.error} />}
        {test.data && <Tested test={test.data} />}
      </div>
      {deleting && (
        <DeleteAuthorityDialog
          name={name}
          etag={etag}
          onDeleted={onDeleted}
          onClose={() => setDeleting(false)}
        />
      )}
    </section>
  )
}

function Tested({ test }: { test: AuthorityTest }) {
  const { reachable, error, profiles, termsOfService, website, externalAccountRequired } = test
  if (!reachable) {
    return (
      <Notice tone="bad" live title={t('It cannot be reached')}>
        {t(
          '{sentence} Check the address of its directory, and that this control plane may connect there.',
          { sentence: sentence(error ?? t('It gave no reason')) },
        )}
      </Notice>
    )
  }
  return (
    <>
      <Notice tone="good" live title={t('It answers')}>
        {t('Its directory can be read. The account itself is made with the first order.')}
      </Notice>
      <Facts
        facts={[
          { name: t('Terms of service'), value: <Outside url={termsOfService} /> },
          { name: t('Website'), value: <Outside url={website} /> },
          {
            name: t('External account'),
            value: externalAccountRequired ? t('it wants one') : t('it wants none'),
          },
          {
            name: t('Profiles'),
            value:
              profiles.length === 0 ? (
                'none'
              ) : (
                <ul>
                  {profiles.map((profile) => (
                    <li key={profile.name}>
                      <strong>{profile.name}</strong>{' '}
                      <span className="dim">{profile.description}</span>
                    </li>
                  ))}
                </ul>
              ),
          },
        ]}
      />
    </>
  )
}

/** An address that somebody else gave: a link only to what a browser opens as a page. */
function Outside({ url }: { url: string | null }) {
  if (url === null) return t('it names none')
  if (!/^https?:\/\//.test(url)) return url
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {url}
    </a>
  )
}
