// SPDX-License-Identifier: MIT
import { Quantity } from '../../components/quantity.tsx'
import { t } from '../../languages/t.ts'
import { formatRatio } from '../../lib/format.ts'
import type { Part } from './measured.ts'
import classes from './overview.module.css'

/** Where the time of all requests went: a bar, and the same as a list. */
export function TimeParts({ parts }: { parts: readonly Part[] | null }) {
  return (
    <section className="panel" aria-labelledby="parts-heading">
      <div className="panel-head">
        <h2 id="parts-heading">{t('Where the time went')}</h2>
      </div>
      <div className="panel-body">
        {parts === null ? (
          <p className="dim">{t('No request was measured in this range.')}</p>
        ) : (
          <>
            <div className={classes.bar} aria-hidden="true">
              {parts.map(({ name, ratio }, index) => (
                <span key={name} data-part={index + 1} style={{ flexGrow: ratio }} />
              ))}
            </div>
            <ul className={classes.parts}>
              {parts.map(({ name, ratio }, index) => (
                <li key={name}>
                  <span className={classes.swatch} data-part={index + 1} aria-hidden="true" />
                  <span>{name}</span>
                  <span>
                    <Quantity of={ratio} as={formatRatio} />
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}
