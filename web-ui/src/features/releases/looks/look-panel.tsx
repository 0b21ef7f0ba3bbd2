// SPDX-License-Identifier: MIT
// Do the nodes that serve a version serve what it says? They ask themselves, wherever they stand.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ActionButton } from '../../../components/action-button.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Facts } from '../../../components/facts.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { ScrollBox } from '../../../components/scroll-box.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { t } from '../../../languages/t.ts'
import type { ReleaseLook, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { lookQuery, startLookMutation } from './api.ts'

type Props = { name: string; number: number; session: Session }

export function LookPanel({ name, number, session }: Props) {
  const client = useQueryClient()
  const look = useQuery(lookQuery(name, number))
  const start = useMutation({
    ...startLookMutation,
    onSuccess: (begun) => client.setQueryData(lookQuery(name, number).queryKey, begun),
  })
  return (
    <section className="panel" aria-labelledby="look-heading">
      <div className="panel-head">
        <h2 id="look-heading">{t('Is it what nodes serve?')}</h2>
        <ActionButton
          variant="default"
          loading={start.isPending}
          blockedBy={whyNot(session, 'rollouts:run')}
          onClick={() => start.mutate({ name, number })}
        >
          {t('Ask nodes')}
        </ActionButton>
      </div>
      <div className="panel-body">
        {start.isError && <ErrorBox what={t('Not asked')} error={start.error} />}
        <QueryStates query={look} what={t('Answers')} skeletonRows={2}>
          {(data) => <Answers look={data} />}
        </QueryStates>
      </div>
    </section>
  )
}

function Answers({ look }: { look: ReleaseLook }) {
  const { askedAt, files, nodes, odd } = look
  if (askedAt === null)
    return (
      <p className="dim">
        {t(
          'Nobody has asked lately. Each node that serves this version asks itself for up to 20 of its files, others each time, and says what came.',
        )}
      </p>
    )
  const counts = [
    { name: t('As this version says'), count: nodes.right },
    { name: t('Odd'), count: nodes.odd },
    { name: t('Not answered yet'), count: nodes.waiting },
    { name: t('Did not answer'), count: nodes.silent },
    { name: t('Away'), count: nodes.away },
    { name: t('Too old to say'), count: nodes.unable },
  ]
  return (
    <>
      <Facts
        facts={[
          { name: t('Asked'), value: <TimeAgo at={askedAt} /> },
          {
            name: t('For'),
            value: t('{files, plural, one {# file} other {# files}}', { files }),
          },
          ...counts
            .filter(({ count }, at) => at === 0 || count > 0)
            .map(({ name, count }) => ({
              name,
              value: t('{count, plural, one {# node} other {# nodes}}', { count }),
            })),
        ]}
      />
      {odd.length > 0 && <OddAnswers odd={odd} />}
    </>
  )
}

const OddAnswers = ({ odd }: Pick<ReleaseLook, 'odd'>) => (
  <ScrollBox label={t('Odd answers, table')}>
    <table className="grid">
      <thead>
        <tr>
          {[t('Node'), t('Address'), t('What came')].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {odd.map(({ node, url, message }) => (
          <tr key={`${node.id} ${url}`}>
            <td>
              <Link to="/nodes/$id" params={{ id: node.id }}>
                {node.name}
              </Link>
            </td>
            <td>{url}</td>
            <td lang="en">{message}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollBox>
)
