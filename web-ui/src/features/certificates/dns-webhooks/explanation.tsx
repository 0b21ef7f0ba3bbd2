// SPDX-License-Identifier: MIT

import { CopyField } from '../../../components/copy-field.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import { baseUrl } from '../../../lib/api-client.ts'

/** What the program behind a webhook has to do, and where that is written in full. */
export const Explanation = () => (
  <div className="stack-tight">
    <p>
      <T
        text="Farmstead keeps no DNS. To prove a host by DNS-01 it sends a signed POST to a program of yours, which sets a TXT record named <code>_acme-challenge</code>."
        code={<code />}
      />
    </p>
    <ul className="bullets">
      <li>
        <T
          text="<code>present</code>: add this value beside those that are there. Answer 200 once every name server of the zone has it, and 202 while it is on its way: it is asked again then."
          code={<code />}
        />
      </li>
      <li>
        <T
          text="<code>cleanup</code>: remove this one value. Answer 200, or 404 if it is gone already."
          code={<code />}
        />
      </li>
      <li>{t('The same message may come more than once.')}</li>
    </ul>
    <p className="dim">
      <T
        text="docs/acme.md has the whole contract, and an example; the <a>API reference</a> what a program can ask of Farmstead."
        a={<a href={new URL('api/docs', baseUrl).href} />}
      />
    </p>
  </div>
)

/** Shown this once. */
export const SecretOnce = ({ secret }: { secret: string }) => (
  <div className="stack-tight">
    <CopyField label={t('Its secret, for your program')} value={secret} />
    <p className="dim">
      {t('It is shown only here. Your program checks with it that a message comes from Farmstead.')}
    </p>
  </div>
)
