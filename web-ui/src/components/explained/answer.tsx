// SPDX-License-Identifier: MIT
// One answer in full: what it is, by which rules, and each header with the line, version and author it comes from.

import { Link } from '@tanstack/react-router'
import { t } from '../../languages/t.ts'
import type { Explained, ExplainedPlace } from '../../lib/api-types.ts'
import { ScrollBox } from '../scroll-box.tsx'
import classes from './explained.module.css'
import { answerWords, placeWords, ruleWords, sinceWords, valueWords } from './explained-words.ts'

type Props = { url: string; answer: Explained; config: string | null }

export function Answer({ url, answer, config }: Props) {
  const { status, files, rules, unread, headers } = answer
  if (status === 421 && headers.length === 0) {
    return (
      <p className="panel-body">
        {t('No site of this config is for that host: the answer is 421.')}
      </p>
    )
  }
  return (
    <>
      <div className="panel-body stack-tight">
        <p role="status" className={classes.said}>
          {answerWords(answer)}
        </p>
        {files.length > 1 && (
          <p className="dim">
            {t('It looks for {files}, and takes what is there.', {
              files: files.join(t(', then ')),
            })}
          </p>
        )}
        {rules.length > 0 && (
          <ul className="bullets">
            {rules.map((place) => (
              <li key={place.pointer}>
                {ruleWords(place.pointer)}
                {', '}
                <Place place={place} config={config} />
              </li>
            ))}
          </ul>
        )}
        {unread.map(({ pointer }) => (
          <p key={pointer} className="dim">
            {t('{ruleWords} may change this: only the node has that file.', {
              ruleWords: ruleWords(pointer),
            })}
          </p>
        ))}
      </div>
      <ScrollBox label={t('Headers of {url}', { url })}>
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">{t('Header')}</th>
              <th scope="col">{t('Value')}</th>
              <th scope="col">{t('Comes from')}</th>
            </tr>
          </thead>
          <tbody>
            {headers.map(({ name, value, from }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a header may be sent twice, and the order stays
              <tr key={`${name} ${i}`}>
                <th scope="row">{name}</th>
                <td>
                  <span className={value === null ? 'dim' : classes.value}>
                    {valueWords(value)}
                  </span>
                </td>
                <td>
                  {from === null ? (
                    <span className="dim">{t('the node itself')}</span>
                  ) : (
                    <>
                      {ruleWords(from.pointer)}
                      {', '}
                      <Place place={from} config={config} />
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  )
}

function Place({ place, config }: { place: ExplainedPlace; config: string | null }) {
  const since = sinceWords(place)
  return (
    <>
      {placeWords(place)}
      {since !== '' && place.since !== null && config !== null && (
        <>
          {' '}
          <span className="dim">{t('since')}</span>{' '}
          <Link
            to="/configs/$name/versions/$number"
            params={{ name: config, number: place.since.number }}
          >
            {since}
          </Link>
        </>
      )}
    </>
  )
}
