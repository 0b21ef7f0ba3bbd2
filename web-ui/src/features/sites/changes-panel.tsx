// SPDX-License-Identifier: MIT
// The versions that changed the site's part, and by whom.
import { Link } from '@tanstack/react-router'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import type { Site } from '../../lib/api-types.ts'

type Change = Site['changes'][number]

const whatWords: Record<Change['what'], string> = {
  added: 'Added',
  changed: 'Changed',
  removed: 'Removed',
}

export function ChangesPanel({ site }: { site: Site }) {
  const { config, changes, changesLookedBackTo } = site
  return (
    <section className="panel" aria-labelledby="site-changes-heading">
      <div className="panel-head">
        <h3 id="site-changes-heading">What changed it</h3>
      </div>
      {changes.length > 0 && (
        <ScrollBox label="Versions that changed it, table">
          <table className="grid">
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col">What</th>
                <th scope="col">Message</th>
                <th scope="col">By</th>
                <th scope="col">Saved</th>
              </tr>
            </thead>
            <tbody>
              {changes.map((change) => (
                <ChangeRow key={change.version} config={config} change={change} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {changesLookedBackTo !== null && (
        <p className="panel-body dim">
          Versions before v{changesLookedBackTo} were not looked at.{' '}
          <Link to="/configs/$name/versions" params={{ name: config }}>
            All versions of {config}
          </Link>
        </p>
      )}
    </section>
  )
}

function ChangeRow({ config, change }: { config: string; change: Change }) {
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
    </tr>
  )
}
