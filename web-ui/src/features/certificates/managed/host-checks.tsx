// SPDX-License-Identifier: MIT
// What is known of hosts before they are ordered: who serves them, and what is to be thought of where nobody does.

import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Notice } from '../../../components/notice.tsx'
import { t } from '../../../languages/t.ts'
import type { HostLook } from '../../../lib/api-types.ts'
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
              ? t('No node serves this host yet')
              : t('No node serves these {unserved} hosts yet', { unserved: unserved.length })
          }
        >
          <List items={unserved} />
          <p>
            {challenge === 'http-01'
              ? t(
                  'You can order all the same. Every connected node answers the authority; DNS must lead to nodes of this farm by then.',
                )
              : t(
                  'You can order all the same. Nodes serve a host once a config that names it is rolled out.',
                )}
          </p>
        </Notice>
      )}
      {served.length > 0 && (
        <div className="dim">
          {t('Served already:')}
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
    {items.length > MOST && <li>{t('and {items} more', { items: items.length - MOST })}</li>}
  </ul>
)

function lookWords({ nodes, configs }: HostLook): string {
  const named =
    configs.length === 0
      ? t('no config names it')
      : t('named by {configs}', { configs: configs.join(', ') })
  return nodes === 0
    ? `(${named})`
    : t('(by {nodes, plural, one {# node} other {# nodes}}; {named})', { nodes, named })
}
