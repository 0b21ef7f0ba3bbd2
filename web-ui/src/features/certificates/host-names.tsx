// SPDX-License-Identifier: MIT

import { t } from '../../languages/t.ts'

type Props = { names: readonly string[]; most: number }

export function HostNames({ names, most }: Props) {
  const more = names.length - most
  return (
    <>
      {names.slice(0, most).map((name) => (
        <div key={name}>
          <code>{name}</code>
        </div>
      ))}
      {more > 0 && <div className="dim">{t('and {more} more', { more })}</div>}
    </>
  )
}
