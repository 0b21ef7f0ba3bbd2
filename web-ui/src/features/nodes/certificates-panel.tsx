// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { certificateVerdict } from '../../components/certificate-verdict.ts'
import { Digest } from '../../components/digest.tsx'
import { EndsAt } from '../../components/ends-at.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { NodeDetail } from '../../lib/api-types.ts'

type Shown = NodeDetail['certificates'][number]

/** What the node shows to who comes by TLS, as it says itself; of a node without TLS nothing. */
export function CertificatesPanel({ node: { certificates } }: { node: NodeDetail }) {
  if (certificates.length === 0) return null
  return (
    <section className="panel" aria-labelledby="certificates-heading">
      <div className="panel-head">
        <h2 id="certificates-heading">{t('Certificates it serves')}</h2>
      </div>
      <ScrollBox label={t('Certificates it serves, table')}>
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">{t('Host')}</th>
              <th scope="col">{t('Certificate')}</th>
              <th scope="col">{t('State')}</th>
              <th scope="col">{t('Ends')}</th>
              <th scope="col" className="wide-only">
                {t('Fingerprint')}
              </th>
              <th scope="col" className="wide-only">
                {t('Since')}
              </th>
            </tr>
          </thead>
          <tbody>
            {certificates.map((shown) => (
              <Row key={`${shown.host} ${shown.fingerprint}`} shown={shown} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  )
}

const Row = ({
  shown: { host, certificate, state, notAfter, fingerprint, since },
}: {
  shown: Shown
}) => (
  <tr>
    <td>
      <code>{host}</code>
    </td>
    <td>
      <Origin certificate={certificate} />
    </td>
    <td className="nowrap">
      <StatusBadge verdict={certificateVerdict({ state })} />
    </td>
    <td className="nowrap">
      <EndsAt at={notAfter} />
    </td>
    <td className="wide-only">
      <Digest value={fingerprint} />
    </td>
    <td className="wide-only nowrap">
      <TimeAgo at={since} />
    </td>
  </tr>
)

function Origin({ certificate }: Pick<Shown, 'certificate'>) {
  if (certificate === null) return <span className="dim">{t('a file on the node')}</span>
  const { name, version, latestVersion } = certificate
  return (
    <>
      <Link to="/certificates/$name" params={{ name }}>
        {name}
      </Link>{' '}
      v{version}
      {latestVersion > version && (
        <span className="dim">{t(', v{latestVersion} is not here yet', { latestVersion })}</span>
      )}
    </>
  )
}
