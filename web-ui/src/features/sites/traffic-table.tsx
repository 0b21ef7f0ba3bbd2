// SPDX-License-Identifier: MIT
// The whole range in numbers: each version that answered, and all of them.

import { Link } from '@tanstack/react-router'
import { Quantity } from '../../components/quantity.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { t } from '../../languages/t.ts'
import type { Site, SiteTraffic } from '../../lib/api-types.ts'
import {
  formatByteRate,
  formatCount,
  formatRate,
  formatRatio,
  formatSeconds,
} from '../../lib/format.ts'
import type { TimeSearch } from '../../lib/time-range.ts'
import { classKeys, countedSeconds, statusClasses, type Traffic, trafficOf } from './traffic.ts'

type Props = { site: Site; time: TimeSearch; traffic: SiteTraffic; nowSeconds: number }

export function TrafficTable({ site, time, traffic, nowSeconds }: Props) {
  const versions = traffic.versions ?? []
  const nodesOf = new Map(site.versions.map(({ version, nodes }) => [version, nodes]))
  const alone = versions.filter(({ isCountedAlone }) => isCountedAlone)
  const seconds = countedSeconds(alone, traffic, nowSeconds)
  return (
    <ScrollBox label={t('Traffic by version, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Version')}</th>
            <th scope="col" className="num">
              {t('Requests')}
            </th>
            <th scope="col" className="num">
              {t('Per second')}
            </th>
            <th scope="col" className="num">
              {t('Sent')}
            </th>
            {classKeys.map((key) => (
              <th key={key} scope="col" className="num">
                {statusClasses[key]}
              </th>
            ))}
            <th scope="col" className="num">
              {t('Ended early')}
            </th>
            <th scope="col" className="num">
              {t('Mean time')}
            </th>
          </tr>
        </thead>
        <tbody>
          {versions.map((one) => (
            <tr key={one.version}>
              <th scope="row" className="nowrap">
                <Link
                  to="/measurements"
                  search={{ of: `version:${site.config}/${one.version}`, ...time }}
                >
                  v{one.version}
                </Link>{' '}
                <span className="dim">{nodesWords(nodesOf.get(one.version) ?? 0)}</span>
              </th>
              {one.isCountedAlone ? (
                <Numbers of={trafficOf([one], seconds)} />
              ) : (
                <td colSpan={classKeys.length + 5} className="dim">
                  {t('counted together with others: it is not among the first 256 sites there')}
                </td>
              )}
            </tr>
          ))}
          {alone.length > 1 && (
            <tr>
              <th scope="row">{t('all')}</th>
              <Numbers of={trafficOf(alone, seconds)} />
            </tr>
          )}
        </tbody>
      </table>
    </ScrollBox>
  )
}

const nodesWords = (nodes: number) =>
  nodes === 0 ? t('no node now') : t('{nodes, plural, one {# node} other {# nodes}}', { nodes })

const Numbers = ({ of }: { of: Traffic }) => (
  <>
    <td className="num">{formatCount(of.requests)}</td>
    <td className="num">
      <Quantity of={of.requestsPerSecond} as={formatRate} />
    </td>
    <td className="num">
      <Quantity of={of.bytesPerSecond} as={formatByteRate} />
    </td>
    {classKeys.map((key) => (
      <td key={key} className="num">
        <Quantity of={of.shares[key]} as={formatRatio} />
      </td>
    ))}
    <td className="num">{formatCount(of.aborted)}</td>
    <td className="num">
      <Quantity of={of.meanSeconds} as={formatSeconds} />
    </td>
  </>
)
