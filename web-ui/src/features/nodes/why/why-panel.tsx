// SPDX-License-Identifier: MIT
// Why the node answers a URL as it does: the rule, the file, and for each header its line, version and author.

import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { Answer } from '../../../components/explained/answer.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { t } from '../../../languages/t.ts'
import type { Explanation, Node, Session } from '../../../lib/api-types.ts'
import { explainQuery, wrongUrl } from '../../../lib/explain-query.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { NodeSays } from './node-says.tsx'
import classes from './why.module.css'

export function WhyPanel({ node, session }: { node: Node; session: Session }) {
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const [url, setUrl] = useState('')
  const mayNot = whyNot(session, 'configs:read')
  const why = useQuery({ ...explainQuery({ nodeId: node.id, urls: [url] }), enabled: url !== '' })
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const found = wrongUrl(typed.trim())
    setWrong(found)
    if (found === null) setUrl(typed.trim())
  }
  return (
    <section className="panel" aria-labelledby="why-heading">
      <div className="panel-head">
        <h2 id="why-heading">{t('Why this answer?')}</h2>
        <span className="dim">{t('a URL, the rules that decide, and who wrote them')}</span>
      </div>
      {mayNot !== null ? (
        <p className="panel-body dim">{mayNot}</p>
      ) : (
        <form className={classes.ask} onSubmit={handleSubmit}>
          <TextInput
            className={classes.url ?? ''}
            label={t('URL')}
            placeholder="https://www.example.org/index.html"
            value={typed}
            error={wrong}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Button type="submit" variant="default">
            {t('Explain')}
          </Button>
        </form>
      )}
      {url !== '' && (
        <QueryStates query={why} what={t('The explanation')} skeletonRows={4}>
          {(explanation) => <Found nodeId={node.id} url={url} explanation={explanation} />}
        </QueryStates>
      )}
    </section>
  )
}

function Found({
  nodeId,
  url,
  explanation: { items, version },
}: {
  nodeId: string
  url: string
  explanation: Explanation
}) {
  const [item] = items
  if (version === null) return <p className="panel-body dim">{t('The node has no config yet.')}</p>
  if (item?.error != null) return <p className="panel-body dim">{item.error}.</p>
  if (item?.before == null) {
    return (
      <p className="panel-body dim">{t('Its config cannot be read any more: save it anew.')}</p>
    )
  }
  return (
    <>
      <Answer url={url} answer={item.before} config={version.config} />
      <div className="panel-body stack-tight">
        {item.before.path !== '' && (
          <NodeSays nodeId={nodeId} url={url} expected={item.before.status} />
        )}
        <p className="dim">
          {t('From {config} v{number}, for a stranger’s GET.', {
            config: version.config,
            number: version.number,
          })}
        </p>
      </div>
    </>
  )
}
