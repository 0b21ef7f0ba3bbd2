// SPDX-License-Identifier: MIT
// What is known of hosts before they are ordered: who serves them, and what is to be thought of where nobody does.
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Notice } from '../../../components/notice.tsx'
import type { HostLook } from '../../../lib/api-types.ts'
import { plural } from '../../../lib/format.ts'
import type { Wish } from './api.ts'
import { hostsLookQuery } from './api.ts'
import classes from './managed.module.css'

const TYPED_MS = 500
/** More would push the rest of the form away. */
const MOST = 10

type Props = { hosts: readonly string[]; challenge: Wish['challenge']['type'] }

export function HostChecks({ hosts, challenge }: Props) {
  const [settled] = useDebouncedValue(hosts.join(' '), TYPED_MS)
  const names = settled === '' ? [] : settled.split(' ')
  const look = useQuery({ ...hostsLookQuery(names), enabled: names.length > 0 })
  // It is a help and no more: the order can be sent without it.
  if (names.length === 0 || look.data === undefined) return null
  const { items } = look.data
  const served = items.filter(({ nodes }) => nodes > 0)
  const unserved = items.filter(({ nodes }) => nodes === 0)
  return (
    <>
      {unserved.length > 0 && (
        <Notice
          tone="warn"
          live
          title={
            unserved.length === 1
              ? 'No node serves this host yet'
              : `No node serves these ${unserved.length} hosts yet`
          }
        >
          <List items={unserved} />
          <p>
            {challenge === 'http-01'
              ? 'You can order all the same. Every connected node answers the authority; DNS must lead to nodes of this farm by then.'
              : 'You can order all the same. Nodes serve a host once a config that names it is rolled out.'}
          </p>
        </Notice>
      )}
      {served.length > 0 && (
        <div className="dim">
          Served already:
          <List items={served} />
        </div>
      )}
    </>
  )
}

const List = ({ items }: { items: readonly HostLook[] }) => (
  <ul className={classes.hosts}>
    {items.slice(0, MOST).map((item) => (
      <li key={item.host}>
        <code>{item.host}</code> {lookWords(item)}
      </li>
    ))}
    {items.length > MOST && <li>and {items.length - MOST} more</li>}
  </ul>
)

function lookWords({ nodes, configs }: HostLook): string {
  const named = configs.length === 0 ? 'no config names it' : `named by ${configs.join(', ')}`
  return nodes === 0 ? `(${named})` : `(by ${plural(nodes, 'node')}; ${named})`
}
