// SPDX-License-Identifier: MIT
// What the config names for the site, and what nodes say that they show to visitors.

import { Link } from '@tanstack/react-router'
import { certificateVerdict } from '../../components/certificate-verdict.ts'
import { EndsAt } from '../../components/ends-at.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Site } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'
import { hostWords } from './rules.ts'

export function CertificatesPanel({ site }: { site: Site }) {
  const { certificates, hasCertificateFiles, shown, serving } = site
  return (
    <section className="panel" aria-labelledby="site-certificates-heading">
      <div className="panel-head">
        <h3 id="site-certificates-heading">{t('Named in the config')}</h3>
      </div>
      {certificates.length === 0 ? (
        <p className="panel-body dim">
          {hasCertificateFiles
            ? t('Its certificates are files on the nodes.')
            : t(
                'None: this site names no certificate, so visitors see the one of the address, or come without TLS.',
              )}
        </p>
      ) : (
        <ul className="panel-body stack-tight">
          {certificates.map((one) => (
            <li key={one.name}>
              <Named certificate={one} />
            </li>
          ))}
          {hasCertificateFiles && <li className="dim">{t('and others, in files on the nodes')}</li>}
        </ul>
      )}
      {shown !== null && shown.length > 0 && <Shown shown={shown} />}
      {shown !== null && serving !== null && serving.total > serving.items.length && (
        <p className="panel-body dim">
          {t(
            'Of the {serving} nodes only the first {items} by name were looked at for what they show.',
            { serving: formatCount(serving.total), items: formatCount(serving.items.length) },
          )}
        </p>
      )}
    </section>
  )
}

function Named({
  certificate: { name, state, notAfter },
}: {
  certificate: Site['certificates'][number]
}) {
  if (state === null || notAfter === null) {
    return (
      <>
        <strong>{name}</strong>{' '}
        <span className="dim">{t('(you may not see it, or there is none)')}</span>
      </>
    )
  }
  return (
    <span className="row">
      <Link to="/certificates/$name" params={{ name }}>
        <strong>{name}</strong>
      </Link>
      <StatusBadge verdict={certificateVerdict({ state })} />
      <span className="dim">
        {state === 'expired' ? t('ended') : t('ends')} <EndsAt at={notAfter} />
      </span>
    </span>
  )
}

const Shown = ({ shown }: { shown: NonNullable<Site['shown']> }) => (
  <ScrollBox label={t('Certificates that nodes show, table')}>
    <table className="grid">
      <thead>
        <tr>
          <th scope="col">{t('Nodes show for')}</th>
          <th scope="col">{t('Ends')}</th>
          <th scope="col" className="num">
            {t('On')}
          </th>
          <th scope="col" className="wide-only">
            {t('Fingerprint')}
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ host, fingerprint, notAfter, nodes }) => (
          <tr key={`${host} ${fingerprint}`}>
            <td>{hostWords(host)}</td>
            <td>
              <EndsAt at={notAfter} />
            </td>
            <td className="num">{t('{nodes, plural, one {# node} other {# nodes}}', { nodes })}</td>
            <td className="wide-only">
              <code title={fingerprint}>{fingerprint.slice(0, 16)}…</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollBox>
)
