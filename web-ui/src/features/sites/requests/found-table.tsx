// SPDX-License-Identifier: MIT

import { type Column, LongTable } from '../../../components/long-table.tsx'
import { MoreRows, useFirstRows } from '../../../components/more-rows.tsx'
import { Quantity } from '../../../components/quantity.tsx'
import { MarkedText } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import type { FoundRequest } from '../../../lib/api-types.ts'
import { DASH, formatBytes, formatSeconds } from '../../../lib/format.ts'
import { formatClock, formatExact } from '../../../lib/time.ts'
import classes from './requests.module.css'

type Props = { rows: readonly FoundRequest[]; hasClients: boolean }

/** The newest first. */
export function FoundTable({ rows, hasClients }: Props) {
  const { first, more } = useFirstRows(rows)
  const columns: Column[] = [
    { title: t('Began') },
    { title: t('Status') },
    { title: t('Request') },
    { title: t('Took'), className: 'num' },
    { title: t('Sent'), className: 'num' },
    ...(hasClients ? [{ title: t('Client') }] : []),
    { title: t('Node') },
  ]
  return (
    <>
      <LongTable label={t('Requests, table')} columns={columns} rows={first} keyOf={keyOf}>
        {(row) => (
          <>
            <td className="nowrap">
              <time dateTime={row.startedAt} title={formatExact(row.startedAt)}>
                {formatClock(row.startedAt)}
              </time>
            </td>
            <td className="nowrap">
              <Outcome {...row} />
            </td>
            <td className={classes.request}>
              {row.method}{' '}
              <bdi>
                <span className="dim">{row.host}</span>
                {row.path === '' ? <span className="dim"> {t('not decodable')}</span> : row.path}
              </bdi>
            </td>
            <td className="num">
              <Quantity of={row.stageSeconds.total} as={formatSeconds} />
            </td>
            <td className="num">
              <Quantity of={row.bytes} as={formatBytes} />
            </td>
            {hasClients && (
              <td className="nowrap">{row.client ?? <span className="dim">{DASH}</span>}</td>
            )}
            <td className="nowrap">{row.nodeName}</td>
          </>
        )}
      </LongTable>
      <MoreRows {...more} />
    </>
  )
}

const keyOf = ({ number }: FoundRequest) => String(number)

/** Only what went wrong stands out. */
function Outcome({ status, reason }: Pick<FoundRequest, 'status' | 'reason'>) {
  if (status !== null && status >= 500) {
    return <MarkedText verdict={{ tone: 'bad', shape: 'square' }}>{status}</MarkedText>
  }
  if (reason !== null) {
    return (
      <MarkedText verdict={{ tone: 'warn', shape: 'triangle' }}>
        {t('{status}, ended early', { status: status ?? t('No response') })}
      </MarkedText>
    )
  }
  return status ?? t('No response')
}
