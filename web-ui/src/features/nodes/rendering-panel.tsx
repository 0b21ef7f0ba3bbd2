// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LazyCodeView } from '../../components/code/lazy-code.tsx'
import { ConfigErrors } from '../../components/config-errors.tsx'
import { Digest } from '../../components/digest.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import type { Node, RenderedConfig } from '../../lib/api-types.ts'
import { renderedQuery } from './api.ts'

/** What makes this node's text: asked for only when somebody wants to know. */
export function RenderingPanel({ node }: { node: Node }) {
  const [open, setOpen] = useState(false)
  return (
    <section className="panel" aria-labelledby="rendering-heading">
      <div className="panel-head">
        <h2 id="rendering-heading">How its text is made</h2>
        <span className="dim">
          the version, then the override of the group {node.group}, then its own, then variables
        </span>
        <span className="grow" />
        <Button variant="default" size="xs" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide' : 'Show'}
        </Button>
      </div>
      {open && <Rendering node={node} />}
    </section>
  )
}

function Rendering({ node }: { node: Node }) {
  const rendered = useQuery(renderedQuery(node.id))
  return (
    <QueryStates query={rendered} what="How its text is made" skeletonRows={6}>
      {(data) => (
        <>
          <div className="panel-body stack-tight">
            <Facts facts={layersOf(data)} />
            {data.errors.length > 0 && (
              <ConfigErrors config={data.version.config} errors={data.errors} />
            )}
          </div>
          <LazyCodeView text={data.text} label={`What ${node.name} would get now`} />
        </>
      )}
    </QueryStates>
  )
}

function layersOf({ version, digest, layers }: RenderedConfig): Fact[] {
  return [
    { name: 'Version', value: `${version.config} v${version.number}` },
    { name: `Override of ${layers.group.name}`, value: patchText(layers.group.mergePatch) },
    { name: 'Its own override', value: patchText(layers.node.mergePatch) },
    {
      name: 'Variables',
      value: layers.variables.map(({ name, value }) => `${name} = ${value}`).join(', ') || 'none',
    },
    { name: 'Digest', value: digest === null ? 'none: it has errors' : <Digest value={digest} /> },
  ]
}

const patchText = (mergePatch: Record<string, unknown>) =>
  Object.keys(mergePatch).length === 0 ? 'none' : <code>{JSON.stringify(mergePatch)}</code>
