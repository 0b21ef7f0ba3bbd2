// SPDX-License-Identifier: MIT

import { CopyField } from '../../components/copy-field.tsx'
import { t } from '../../languages/t.ts'

/** Shown this once. */
export function SecretOnce({ secret }: { secret: string }) {
  return (
    <div className="stack-tight">
      <CopyField label={t('Its secret, for the receiver')} value={secret} />
      <p className="dim">
        {t(
          'It is shown only here. The receiver checks with it that a message is ours: docs/webhooks.md has the lines.',
        )}
      </p>
    </div>
  )
}
