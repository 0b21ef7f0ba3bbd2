// SPDX-License-Identifier: MIT
import type { ReactNode } from 'react'
import { ScrollBox } from '../../../../components/scroll-box.tsx'
import { StatusMark } from '../../../../components/status-badge.tsx'
import { useNarrow } from '../../../../hooks/use-narrow.ts'
import { t } from '../../../../languages/t.ts'
import { DASH } from '../../../../lib/format.ts'
import classes from './comparison.module.css'
import { bodyVerdict, headersSideBySide, type SideBySide, type Verdict } from './differing.ts'
import type { Answer, Answered, AnswerPair, Difference } from './report-file.ts'

const marks: Record<Verdict, ReactNode> = {
  differs: <StatusMark tone="warn" shape="triangle" />,
  own: <StatusMark tone="idle" shape="ring" />,
  same: null,
}
const verdictWords: Record<Exclude<Verdict, 'same'>, string> = {
  differs: t('differs'),
  own: t('not compared'),
}

type Props = { pair: AnswerPair; differences: readonly Difference[] }

/** Status, headers and body; of who takes gzip it is a table of its own. */
export function AnswerTable({ pair, differences }: Props) {
  const title = pair.gzip
    ? t('Asked with Accept-Encoding: gzip')
    : t('Asked without Accept-Encoding')
  // Names of headers above their values: beside them they would be torn.
  const narrow = useNarrow()
  return (
    <section>
      <h3>{title}</h3>
      <ScrollBox label={title}>
        <table className={`grid ${classes.answers}`}>
          <thead>
            <tr>
              {!narrow && <th scope="col">{t('Part of the answer')}</th>}
              <th scope="col">{t('Old')}</th>
              <th scope="col">{t('New')}</th>
            </tr>
          </thead>
          {partsOf(pair, differences).map(({ key, name, ...part }) => (
            <tbody key={key} data-verdict={part.verdict}>
              {narrow ? (
                <>
                  <tr>
                    <th colSpan={2} scope="rowgroup">
                      <Name verdict={part.verdict}>{name}</Name>
                    </th>
                  </tr>
                  <tr>
                    <Value text={part.old} />
                    <Value text={part.new} />
                  </tr>
                </>
              ) : (
                <tr>
                  <th scope="row">
                    <Name verdict={part.verdict}>{name}</Name>
                  </th>
                  <Value text={part.old} />
                  <Value text={part.new} />
                </tr>
              )}
            </tbody>
          ))}
        </table>
      </ScrollBox>
      <p className={`dim ${classes.legend}`}>
        {marks.differs} {verdictWords.differs} {marks.own} {verdictWords.own}
      </p>
    </section>
  )
}

const isAnswered = (answer: Answer): answer is Answered => 'status' in answer
const statusText = (answer: Answer) =>
  isAnswered(answer)
    ? String(answer.status)
    : t('No response: {why}', { why: answer.unanswered.replace(/^none: /, '') })
const bytesText = (answer: Answer) =>
  isAnswered(answer)
    ? t('{bytes, plural, one {# byte} other {# bytes}}', { bytes: answer.bytes })
    : null
/** As farmctl cuts it in its own text. */
const digestText = (answer: Answer) =>
  isAnswered(answer) ? `${answer.sha256.slice(0, 12)}…` : null

type Part = Omit<SideBySide, 'name'> & { key: string; name: ReactNode }

function partsOf(pair: AnswerPair, differences: readonly Difference[]): Part[] {
  const { old, new: now } = pair
  const [was, is] = [statusText(old), statusText(now)]
  const body = bodyVerdict(pair, differences)
  const part = (name: string, texts: Pick<Part, 'old' | 'new' | 'verdict'>) => ({
    ...{ key: name, name, ...texts },
  })
  return [
    part(t('Status'), { old: was, new: is, verdict: was === is ? 'same' : 'differs' }),
    ...headersSideBySide(pair, differences).map(({ name, ...rest }) => ({
      ...{ key: name, name: <code>{name}</code>, ...rest },
    })),
    part(t('Body'), { old: bytesText(old), new: bytesText(now), verdict: body }),
    part(t('Digest of the body'), { old: digestText(old), new: digestText(now), verdict: body }),
  ]
}

const Name = ({ verdict, children }: { verdict: Verdict; children: ReactNode }) => (
  <span className={classes.name}>
    <span className={classes.mark}>{marks[verdict]}</span>
    <span>
      {children}
      {verdict !== 'same' && <span className="visually-hidden"> {verdictWords[verdict]}</span>}
    </span>
  </span>
)

const Value = ({ text }: { text: string | null }) => (
  <td>
    {text === null ? (
      <>
        <span aria-hidden="true">{DASH}</span>
        <span className="visually-hidden">{t('absent')}</span>
      </>
    ) : (
      <code>{text}</code>
    )}
  </td>
)
