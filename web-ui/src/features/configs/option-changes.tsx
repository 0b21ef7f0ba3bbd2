// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { diffQuery } from './api.ts'
import classes from './configs.module.css'

const kindWords = { added: 'Added', removed: 'Removed', changed: 'Changed' } as const

export function OptionChanges({ name, from, to }: { name: string; from: number; to: number }) {
  const diff = useQuery(diffQuery(name, from, to))
  return (
    <QueryStates query={diff} what="The changes" skeletonRows={4}>
      {({ changes }) =>
        changes.length === 0 ? (
          <EmptyState title="No option changes">
            v{from} and v{to} mean the same to a node; at most comments and layout differ.
          </EmptyState>
        ) : (
          <div className="scroll-x">
            <table className={`grid ${classes.changes}`}>
              <thead>
                <tr>
                  <th scope="col">Option</th>
                  <th scope="col" className="wide-only">
                    Change
                  </th>
                  <th scope="col">v{from}</th>
                  <th scope="col">v{to}</th>
                  <th scope="col" className="wide-only">
                    What it does
                  </th>
                </tr>
              </thead>
              <tbody>
                {changes.map((change) => (
                  <tr key={change.pointer}>
                    <th scope="row">
                      <Link
                        to="/configs/$name/versions/$number"
                        params={{ name, number: change.kind === 'removed' ? from : to }}
                        search={{ pointer: change.pointer }}
                      >
                        <code>{change.pointer}</code>
                      </Link>
                    </th>
                    <td className="wide-only">{kindWords[change.kind]}</td>
                    <td>
                      <Value value={change.from} absent={change.kind === 'added'} />
                    </td>
                    <td>
                      <Value value={change.to} absent={change.kind === 'removed'} />
                    </td>
                    <td className="dim wide-only">{change.help}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </QueryStates>
  )
}

function Value({ value, absent }: { value: unknown; absent: boolean }) {
  if (absent) return <span className="dim">not set</span>
  return <span className={classes.value}>{JSON.stringify(value, null, 1)}</span>
}
