// SPDX-License-Identifier: MIT
// What the owner of a node's machine allows, in words.
import { t } from '../../../languages/t.ts'
import type { NodePolicy } from '../../../lib/api-types.ts'

export type Rules = NodePolicy['rules']

/** One line an address, as in "every address: ports 80, 1024 to 65535". What we cannot read stays as it is. */
export function listenLines(listen: Rules['listen']): string[] {
  const read = listen.map((text) => ({ text, ...partsOf(text) }))
  return [...Map.groupBy(read, ({ text, address }) => address ?? text)].map(([key, entries]) => {
    const ports = entries.flatMap((entry) => entry.ports ?? [])
    if (ports.length === 0) return key
    const isOne = ports.length === 1 && !ports[0]?.includes(' ')
    return isOne
      ? t('port {ports} of {addressWords}', {
          ports: ports.join(', '),
          addressWords: addressWords(key),
        })
      : t('ports {ports} of {addressWords}', {
          ports: ports.join(', '),
          addressWords: addressWords(key),
        })
  })
}

function partsOf(text: string): { address?: string; ports?: string } {
  const [, address, first, last] = /^(.+):(\d+)(?:-(\d+))?$/.exec(text) ?? []
  if (address === undefined || first === undefined) return {}
  return {
    address,
    ports: last === undefined || last === first ? first : t('{first} to {last}', { first, last }),
  }
}

const addressWords = (address: string) => (address === '*' ? t('every address') : address)

export const adminWords = ({ adminBeyondLoopback }: Rules) =>
  adminBeyondLoopback ? t('on other addresses than loopback, too') : t('on loopback only')

export const symlinkWords = ({ symlinksAny }: Rules) =>
  symlinksAny ? t('“symlinks” of a site may be “any”') : t('“symlinks” of a site must not be “any”')
