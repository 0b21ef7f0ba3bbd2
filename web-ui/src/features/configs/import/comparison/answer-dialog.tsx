// SPDX-License-Identifier: MIT
// One request: the old answer and the new one side by side, and what the import said that may be why.
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Dialog, DialogActions } from '../../../../components/dialog.tsx'
import { t } from '../../../../languages/t.ts'
import { T } from '../../../../languages/text.tsx'
import type { Finding } from '../../../../lib/api-types.ts'
import { formatCount } from '../../../../lib/format.ts'
import { placeText } from '../findings.ts'
import { Said } from '../said.tsx'
import { AnswerTable } from './answer-table.tsx'
import { Change } from './change.tsx'
import classes from './comparison.module.css'
import type { DifferingRequest } from './differing.ts'
import { type Explanation, explanationsOf } from './explaining.ts'
import type { Report } from './report-file.ts'

type Props = {
  request: DifferingRequest
  report: Report
  findings: readonly Finding[]
  /** Among those that are shown. */
  place: { at: number; of: number }
  onGo: (at: number) => void
  onClose: () => void
}

export function AnswerDialog({ request, report, findings, place, onGo, onClose }: Props) {
  const { path, differences } = request
  const pairs = useMemo(() => report.answers.filter((one) => one.path === path), [report, path])
  const explanations = useMemo(() => explanationsOf(request, findings), [request, findings])
  return (
    <Dialog title={t('Both answers')} size="xl" isQuick onClose={onClose}>
      <div className="stack">
        <p className={classes.path} aria-live="polite">
          <code>
            <bdi>{path}</bdi>
          </code>{' '}
          <span className="dim">
            {t('{at, number} of {of, number}', { at: place.at + 1, of: place.of })}
          </span>
        </p>
        {pairs.map((pair) => (
          <AnswerTable key={String(pair.gzip)} pair={pair} differences={differences} />
        ))}
        {pairs.length === 0 && (
          <div>
            {differences.map((one) => (
              <Change key={one.aspect} {...one} />
            ))}
            <p className="dim">
              {t('farmctl keeps whole answers of the first {count} that differ.', {
                count: formatCount(report.answers.length),
              })}
            </p>
          </div>
        )}
        <Explanations explanations={explanations} />
        <DialogActions leave={t('Back to the list')}>
          <Button variant="default" disabled={place.at === 0} onClick={() => onGo(place.at - 1)}>
            {t('Previous')}
          </Button>
          <Button
            variant="default"
            disabled={place.at === place.of - 1}
            onClick={() => onGo(place.at + 1)}
          >
            {t('Next')}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}

function Explanations({ explanations }: { explanations: readonly Explanation[] }) {
  if (explanations.length === 0) return null
  return (
    <section aria-labelledby="comparison-why">
      <h3 id="comparison-why">{t('What the import said that may be why')}</h3>
      <ul className={`bullets ${classes.why}`}>
        {explanations.map(({ code, text, verdict, findings: [first, ...others] }) => (
          <li key={`${verdict} ${code} ${text}`}>
            <span lang="en">
              <Said text={text} />
            </span>{' '}
            {first && (
              <span className="dim">
                <T
                  text="At {place}{others, plural, =0 {} one { and # other} other { and # others}}."
                  place={
                    <Link to="/import" search={{ show: verdict, q: `${first.file}:${first.line}` }}>
                      <code>{placeText(first)}</code>
                    </Link>
                  }
                  others={others.length}
                />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
