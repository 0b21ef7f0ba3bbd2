// SPDX-License-Identifier: MIT
// What the config says of the site, as it stands in the text, and the ways to where it is changed.

import { ButtonLink } from '../../components/links.tsx'
import { t } from '../../languages/t.ts'
import type { Site } from '../../lib/api-types.ts'
import classes from './sites.module.css'

export function PartPanel({ site }: { site: Site }) {
  const { config, version, newestVersion, part } = site
  const { pointer, line, endLine, text, isCut } = part
  const lines =
    line === endLine
      ? t('line {line}', { line })
      : t('lines {line} to {endLine}', { line, endLine })
  return (
    <section className="panel" aria-labelledby="part-heading">
      <div className="panel-head">
        <h3 id="part-heading">
          {config}
          {' v'}
          {version}
          {', '}
          {lines}
        </h3>
        <span className="grow" />
        <ButtonLink
          size="xs"
          variant="default"
          to="/configs/$name/versions/$number"
          params={{ name: config, number: version }}
          search={{ line, pointer }}
        >
          {t('In the whole text')}
        </ButtonLink>
        {version === newestVersion && (
          <ButtonLink
            size="xs"
            variant="default"
            to="/configs/$name"
            params={{ name: config }}
            search={{ view: 'form', pointer }}
          >
            {t('Edit in the form')}
          </ButtonLink>
        )}
      </div>
      <pre className={classes.part}>{outdented(text)}</pre>
      {isCut && <p className="panel-body dim">{t('And more: the whole text has the rest.')}</p>}
    </section>
  )
}

/** The first line begins at its brace, the others as deep as the text has them. */
function outdented(text: string): string {
  const [first = '', ...others] = text.split(/\r\n|\n|\r/)
  const last = others.findLast((line) => line.trim() !== '') ?? ''
  const depth = last.length - last.trimStart().length
  return [first, ...others.map((line) => line.replace(new RegExp(`^\\s{0,${depth}}`), ''))].join(
    '\n',
  )
}
