// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { LazyCodeView, LazyDiffView } from '../../components/code/lazy-code.tsx'
import { Digest } from '../../components/digest.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import { t } from '../../languages/t.ts'
import type { EffectiveConfig, Node } from '../../lib/api-types.ts'
import { effectiveConfigQuery } from './api.ts'

export function EffectiveConfigPanel({ node }: { node: Node }) {
  const config = useQuery(effectiveConfigQuery(node.id))
  return (
    <section className="panel" aria-labelledby="effective-heading">
      <div className="panel-head">
        <h2 id="effective-heading">{t('Effective config')}</h2>
        <span className="dim">{t('what the running server says it serves by')}</span>
        {config.data?.digest != null && <Digest value={config.data.digest} />}
      </div>
      <QueryStates query={config} what={t('The effective config')} skeletonRows={6}>
        {(data) =>
          // Beside what it was assigned it stands above already.
          node.drift?.isServed === true ? (
            <p className="panel-body dim">
              {t(
                'It serves what was changed on its machine: see the comparison at the top of this page.',
              )}
            </p>
          ) : (
            <EffectiveText config={data} name={node.name} />
          )
        }
      </QueryStates>
    </section>
  )
}

function EffectiveText({
  config: { text, digest, desiredText },
  name,
}: {
  config: EffectiveConfig
  name: string
}) {
  const narrow = useNarrow()
  if (text === null) {
    return (
      <EmptyState
        title={
          digest === null ? t('It runs no config of ours yet') : t('Its text is not known here')
        }
      >
        {digest === null
          ? t('The node has joined and waits for a first rollout.')
          : t(
              'The node runs a config that was never saved on this control plane. A rollout replaces it.',
            )}
      </EmptyState>
    )
  }
  if (desiredText !== null && desiredText !== text) {
    return (
      <LazyDiffView
        from={{ label: t('Runs now'), text }}
        to={{ label: t('Desired'), text: desiredText }}
        layout={narrow ? 'unified' : 'side-by-side'}
      />
    )
  }
  return <LazyCodeView text={text} label={t('Effective config of {name}', { name })} />
}
