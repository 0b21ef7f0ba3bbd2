// SPDX-License-Identifier: MIT
import { t } from '../languages/t.ts'
import { shortDigest } from '../lib/format.ts'

export function Digest({ value }: { value: string }) {
  return (
    <code title={value}>
      <span aria-hidden="true">{shortDigest(value)}</span>
      <span className="visually-hidden">
        {t('digest {digest}', { digest: shortDigest(value) })}
      </span>
    </code>
  )
}
