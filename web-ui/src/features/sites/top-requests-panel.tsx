// SPDX-License-Identifier: MIT
// What visitors ask a site for most often: searched for a minute when somebody wants to know, for nobody keeps it.

import { Button } from '@mantine/core'
import { ActionButton } from '../../components/action-button.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { t } from '../../languages/t.ts'
import type { Session, Site } from '../../lib/api-types.ts'
import { may, whyNot } from '../../lib/permissions.ts'
import { countWords, nodesWords } from './requests/found.ts'
import { TopLists } from './requests/top-lists.tsx'
import { useRequestSearch } from './requests/use-request-search.ts'

const SECONDS = 60

export function TopRequestsPanel({ site, session }: { site: Site; session: Session }) {
  const { config, host } = site
  const { found, isSearching, error, start, stop } = useRequestSearch(0)
  const search = found?.search
  const look = () =>
    start({
      ...{ config, site: host, seconds: SECONDS },
      tellsClients: may(session, 'requests:clients'),
    })
  return (
    <section className="panel" aria-labelledby="top-requests-heading">
      <div className="panel-head">
        <h3 id="top-requests-heading">{t('Top paths and times')}</h3>
        {search && (
          <span className="dim">
            {t('{countWords} on {nodesWords}', {
              countWords: countWords(search),
              nodesWords: nodesWords(search),
            })}
          </span>
        )}
        <span className="grow" />
        <ButtonLink
          variant="default"
          size="xs"
          to="/sites/requests"
          search={{ config, site: host }}
        >
          {t('Search requests')}
        </ButtonLink>
        {isSearching ? (
          <Button variant="default" size="xs" onClick={stop}>
            {t('Stop')}
          </Button>
        ) : (
          <ActionButton
            variant="default"
            size="xs"
            blockedBy={whyNot(session, 'requests:read')}
            onClick={look}
          >
            {t('Look for a minute')}
          </ActionButton>
        )}
      </div>
      {error !== null && (
        <ErrorBox what={t('Its requests were not read')} error={error} onRetry={look} />
      )}
      {search && search.received > 0 ? (
        <TopLists search={search} />
      ) : (
        <p className="panel-body dim" role="status">
          {isSearching
            ? t('Asking the nodes …')
            : search
              ? t('No request for it came.')
              : t(
                  'Which paths are asked for most often, and how long answers take: nodes tell it while you look.',
                )}
        </p>
      )}
    </section>
  )
}
