// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { AuditEntry } from '../../lib/api-types.ts'
import { actorText } from '../../lib/people-words.ts'
import classes from './audit.module.css'
import { ObjectLink } from './object-link.tsx'
import { actionText } from './rules.ts'

const columns: Column[] = [
  { title: t('When') },
  { title: t('What') },
  { title: t('To') },
  { title: t('Who') },
  { title: t('From'), className: 'wide-only' },
  { title: t('Number'), className: 'num wide-only' },
]
const keyOf = ({ id }: AuditEntry) => String(id)

export function AuditTable({ entries, hasMore }: { entries: AuditEntry[]; hasMore: boolean }) {
  return (
    <LongTable
      label={t('The audit, table')}
      columns={columns}
      rows={entries}
      keyOf={keyOf}
      hasMore={hasMore}
    >
      {(entry) => (
        <>
          <td>
            <TimeAgo at={entry.at} />
          </td>
          <td>
            <Link to="/audit/$id" params={{ id: String(entry.id) }}>
              {actionText(entry)}
            </Link>
          </td>
          <td className={classes.object}>
            <ObjectLink entry={entry} />
          </td>
          <td>{actorText(entry)}</td>
          <td className="wide-only">
            {entry.address === null ? <span className="dim">–</span> : entry.address}
          </td>
          <td className="num wide-only">{entry.id}</td>
        </>
      )}
    </LongTable>
  )
}
