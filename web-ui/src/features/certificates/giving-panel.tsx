// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { CertificateConfig } from '../../lib/api-types.ts'
import { givingQuery } from './api.ts'

/** The configs that bring it to nodes, and the way on to those that lag behind. */
export function GivingPanel({ name }: { name: string }) {
  const giving = useQuery(givingQuery(name))
  return (
    <section className="panel" aria-labelledby="giving-heading">
      <div className="panel-head">
        <h2 id="giving-heading">{t('What brings it to nodes')}</h2>
      </div>
      <QueryStates query={giving} what={t('What brings it to nodes')} skeletonRows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={t('No config does')}>
              {t('Name it in a config and roll that out: nodes serve it from then on.')}
            </EmptyState>
          ) : (
            <>
              {items.some(({ behind }) => behind > 0) && (
                <Notice tone="warn" title={t('Nodes still have an older version of it')}>
                  {t(
                    'Roll the same version of the config out once more: it brings the newest one.',
                  )}
                </Notice>
              )}
              <Table giving={items} />
            </>
          )
        }
      </QueryStates>
    </section>
  )
}

function Table({ giving }: { giving: CertificateConfig[] }) {
  return (
    <ScrollBox label={t('What brings it to nodes, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Config')}</th>
            <th scope="col">{t('Nodes')}</th>
            <th scope="col">{t('With an older version of it')}</th>
          </tr>
        </thead>
        <tbody>
          {giving.map(({ config, version, nodes, behind }) => (
            <tr key={`${config} ${version}`}>
              <td>
                <Link
                  to="/configs/$name/versions/$number"
                  params={{ name: config, number: version }}
                >
                  {t('{config} version {version}', { config, version })}
                </Link>
              </td>
              <td className="nowrap">
                {t('{nodes, plural, one {# node} other {# nodes}}', { nodes })}
              </td>
              <td>
                {behind === 0 ? (
                  <span className="dim">{t('none')}</span>
                ) : (
                  <T
                    text="{behind, plural, one {# node} other {# nodes}}: <link>plan the rollout</link>"
                    behind={behind}
                    link={<Link to="/rollouts/new" search={{ config, version }} />}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
