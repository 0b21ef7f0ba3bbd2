// SPDX-License-Identifier: MIT
// What comes most often among the requests that a search found, and how long they took.

import { Figures } from '../../../components/figures.tsx'
import { Quantity } from '../../../components/quantity.tsx'
import { ScrollBox } from '../../../components/scroll-box.tsx'
import { t } from '../../../languages/t.ts'
import type { RequestSearch } from '../../../lib/api-types.ts'
import { formatCount, formatRatio, formatSeconds } from '../../../lib/format.ts'
import classes from './requests.module.css'

export function TopLists({ search }: { search: RequestSearch }) {
  const { topPaths, topClients, times, matched, received } = search
  return (
    <>
      <div className={classes.times}>
        <Figures
          size="small"
          figures={[
            {
              name: t('Half took at most'),
              value: <Quantity of={times.p50Seconds} as={formatSeconds} />,
            },
            {
              name: t('9 of 10 took at most'),
              value: <Quantity of={times.p90Seconds} as={formatSeconds} />,
            },
            {
              name: t('99 of 100 took at most'),
              value: <Quantity of={times.p99Seconds} as={formatSeconds} />,
            },
          ]}
        />
        <p className="dim">
          {received < matched
            ? t(
                'From {sampled, plural, one {# sample} other {# samples}} of them, each weighted by how many it stands for. A dash stands where too few samples were slower to say.',
                { sampled: times.sampled },
              )
            : t(
                'From {sampled, plural, one {# sample} other {# samples}}. A dash stands where too few samples were slower to say.',
                { sampled: times.sampled },
              )}
        </p>
      </div>
      <div className={classes.lists}>
        <Ranked
          title={t('Top paths')}
          of={t('Path')}
          matched={matched}
          items={topPaths.map(({ path, ...counted }) => ({ ...counted, name: path }))}
        />
        {topClients !== null && (
          <Ranked
            title={t('Top clients')}
            of={t('Client')}
            matched={matched}
            items={topClients.map(({ client, ...counted }) => ({ ...counted, name: client }))}
          />
        )}
      </div>
    </>
  )
}

type Counted = { name: string; requests: number; overcountAtMost: number }
type RankedProps = { title: string; of: string; matched: number; items: readonly Counted[] }

function Ranked({ title, of, matched, items }: RankedProps) {
  if (items.length === 0) return null
  return (
    <ScrollBox label={title}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{of}</th>
            <th scope="col" className="num">
              {t('Requests')}
            </th>
            <th scope="col" className="num">
              {t('Share')}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ name, requests, overcountAtMost }) => (
            <tr key={name}>
              <td className={classes.name}>
                {name === '' ? (
                  <span className="dim">{t('not decodable')}</span>
                ) : (
                  <bdi>{name}</bdi>
                )}
              </td>
              <td className="num nowrap">
                {formatCount(Math.round(requests))}
                {overcountAtMost >= 1 && (
                  <div className="dim">
                    {t('at least {requests}', {
                      requests: formatCount(Math.round(requests - overcountAtMost)),
                    })}
                  </div>
                )}
              </td>
              <td className="num">
                <Quantity of={matched > 0 ? requests / matched : null} as={formatRatio} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
