// SPDX-License-Identifier: MIT
// URL by URL: what is another answer comes first and is open, what stays is counted and can be looked at.

import { Answer } from '../../../components/explained/answer.tsx'
import { DifferenceTable } from '../../../components/explained/difference-table.tsx'
import { answerWords, differences } from '../../../components/explained/explained-words.ts'
import { t } from '../../../languages/t.ts'
import type { Explanation } from '../../../lib/api-types.ts'
import classes from './answers.module.css'

type Item = Explanation['items'][number]

export function AnswersList({ explanation }: { explanation: Explanation }) {
  const { items, errors, version } = explanation
  const [error] = errors
  if (error !== undefined) {
    return (
      <p className="dim">
        {t('This node would refuse the text: {message}.', { message: error.message })}
      </p>
    )
  }
  const changed = items.filter(isChanged)
  const same = items.filter((item) => !isChanged(item))
  const config = version?.config ?? null
  return (
    <div className="stack-tight">
      <p role="status">
        {version === null
          ? t('The node has no config yet: this is what it would answer.')
          : t(
              '{changed} of {items, plural, one {# URL} other {# URLs}} would get another answer than with {config} v{number}.',
              {
                changed: changed.length,
                items: items.length,
                config: version.config,
                number: version.number,
              },
            )}
      </p>
      {changed.map((item) => (
        <One key={item.url} item={item} config={config} isOpen />
      ))}
      {same.length > 0 && (
        <details>
          <summary>
            {t('{same, plural, one {# URL} other {# URLs}} with the same answer', {
              same: same.length,
            })}
          </summary>
          {same.map((item) => (
            <One key={item.url} item={item} config={config} />
          ))}
        </details>
      )}
    </div>
  )
}

const changesOf = ({ before, after }: Item) =>
  before === null || after === null ? [] : differences(before, after)

const isChanged = (item: Item) =>
  changesOf(item).length > 0 || (item.before === null) !== (item.after === null)

type OneProps = { item: Item; config: string | null; isOpen?: true }

function One({ item, config, isOpen }: OneProps) {
  const { url, error, before, after } = item
  const changes = changesOf(item)
  const answer = after ?? before
  return (
    <details className={classes.one} open={isOpen}>
      <summary>
        <code className={classes.address}>{url}</code>{' '}
        <span className="dim">{error ?? (answer && answerWords(answer))}</span>
      </summary>
      {changes.length > 0 && <DifferenceTable url={url} items={changes} />}
      {changes.length === 0 && answer !== null && (
        <Answer url={url} answer={answer} config={config} />
      )}
    </details>
  )
}
