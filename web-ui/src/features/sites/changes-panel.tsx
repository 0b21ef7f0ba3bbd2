// SPDX-License-Identifier: MIT
// The versions that changed the site's part, and by whom.

import { Link } from '@tanstack/react-router'
import { RolloutLink } from '../../components/rollout-link.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Session, Site } from '../../lib/api-types.ts'

type Change = Site['changes'][number]

const whatWords: Record<Change['what'], string> = {
  added: t('Added'),
  changed: t('Changed'),
  removed: t('Removed'),
}

export function ChangesPanel({ site, session }: { site: Site; session: Session }) {
  const { config, changes, changesLookedBackTo } = site
  return (
    <section className="panel" aria-labelledby="site-changes-heading">
      <div className="panel-head">
        <h3 id="site-changes-heading">{t('What changed it')}</h3>
      </div>
      {changes.length > 0 && (
        <ScrollBox label={t('Versions that changed it, table')}>
          <table className="grid">
            <thead>
              <tr>
                <th scope="col">{t('Version')}</th>
                <th scope="col">{t('What')}</th>
                <th scope="col">{t('Message')}</th>
                <th scope="col">{t('By')}</th>
                <th scope="col">{t('Saved')}</th>
                <th scope="col">{t('Roll out')}</th>
              </tr>
            </thead>
            <tbody>
              {changes.map((change) => (
                <ChangeRow key={change.version} change={change} of={site} session={session} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {changesLookedBackTo !== null && (
        <p className="panel-body dim">
          <T
            text="Versions before v{changesLookedBackTo} were not looked at. <link>All versions of {config}</link>"
            changesLookedBackTo={changesLookedBackTo}
            link={<Link to="/configs/$name/versions" params={{ name: config }} />}
            config={config}
          />
        </p>
      )}
    </section>
  )
}

type RowProps = { change: Change; of: Site; session: Session }

function ChangeRow({ change, of: { config, newestVersion: latest }, session }: RowProps) {
  const { version, what, message, author, at } = change
  return (
    <tr>
      <td>
        <Link to="/configs/$name/versions/$number" params={{ name: config, number: version }}>
          v{version}
        </Link>
      </td>
      <td className="nowrap">
        {what === 'added' || version === 1 ? (
          whatWords[what]
        ) : (
          <Link
            to="/configs/$name/compare"
            params={{ name: config }}
            search={{ from: version - 1, to: version }}
          >
            {whatWords[what]}
          </Link>
        )}
      </td>
      <td>{message}</td>
      <td className="nowrap">{author}</td>
      <td>
        <TimeAgo at={at} />
      </td>
      <td>
        <RolloutLink {...{ config, version, latest, session }} />
      </td>
    </tr>
  )
}
