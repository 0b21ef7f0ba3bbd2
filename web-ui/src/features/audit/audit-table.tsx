// SPDX-License-Identifier: MIT
import { Link } from '@tanstack/react-router'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import type { AuditEntry } from '../../lib/api-types.ts'
import classes from './audit.module.css'
import { ObjectLink } from './object-link.tsx'
import { actionText, actorText, type NameOf } from './rules.ts'

export function AuditTable({ entries, nameOf }: { entries: AuditEntry[]; nameOf: NameOf }) {
  return (
    <ScrollBox label="The audit, table">
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">To</th>
            <th scope="col">Who</th>
            <th scope="col" className="wide-only">
              From
            </th>
            <th scope="col" className="num wide-only">
              Number
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td>
                <TimeAgo at={entry.at} />
              </td>
              <td>
                <Link to="/audit/$id" params={{ id: String(entry.id) }}>
                  {actionText(entry)}
                </Link>
              </td>
              <td className={classes.object}>
                <ObjectLink entry={entry} nameOf={nameOf} />
              </td>
              <td>{actorText(entry, nameOf)}</td>
              <td className="wide-only">
                {entry.address === null ? <span className="dim">–</span> : entry.address}
              </td>
              <td className="num wide-only">{entry.id}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
