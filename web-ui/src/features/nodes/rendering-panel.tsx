// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LazyCodeView } from '../../components/code/lazy-code.tsx'
import { ConfigErrors } from '../../components/config-errors.tsx'
import { Digest } from '../../components/digest.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import type { Node, RenderedConfig } from '../../lib/api-types.ts'
import { renderedQuery } from './api.ts'

/** What makes this node's text: asked for only when somebody wants to know. */
export function RenderingPanel({ node }: { node: Node }) {
  const [open, setOpen] = useState(false)
  return (
    <section className="panel" aria-labelledby="rendering-heading">
      <div className="panel-head">
        <h2 id="rendering-heading">{t('How its text is made')}</h2>
        <span className="dim">
          {t('the version, then the override of the group {group}, then its own, then variables', {
            group: node.group,
          })}
        </span>
        <span className="grow" />
        <Button variant="default" size="xs" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t('Hide') : t('Show')}
        </Button>
      </div>
      {open && <Rendering node={node} />}
    </section>
  )
}

function Rendering({ node }: { node: Node }) {
  const rendered = useQuery(renderedQuery(node.id))
  return (
    <QueryStates query={rendered} what={t('How its text is made')} skeletonRows={6}>
      {(data) => (
        <>
          <div className="panel-body stack-tight">
            <Facts facts={layersOf(data)} />
            {data.errors.length > 0 && (
              <ConfigErrors config={data.version.config} errors={data.errors} />
            )}
          </div>
          <LazyCodeView
            text={data.text}
            label={t('What {name} would get now', { name: node.name })}
          />
        </>
      )}
    </QueryStates>
  )
}

function layersOf({ version, digest, layers }: RenderedConfig): Fact[] {
  return [
    { name: t('Version'), value: `${version.config} v${version.number}` },
    {
      name: t('Override of {name}', { name: layers.group.name }),
      value: patchText(layers.group.mergePatch),
    },
    { name: t('Its own override'), value: patchText(layers.node.mergePatch) },
    {
      name: t('Variables'),
      value:
        layers.variables.map(({ name, value }) => `${name} = ${value}`).join(', ') || t('none'),
    },
    {
      name: t('Digest'),
      value: digest === null ? t('none: it has errors') : <Digest value={digest} />,
    },
  ]
}

const patchText = (mergePatch: Record<string, unknown>) =>
  Object.keys(mergePatch).length === 0 ? t('none') : <code>{JSON.stringify(mergePatch)}</code>
