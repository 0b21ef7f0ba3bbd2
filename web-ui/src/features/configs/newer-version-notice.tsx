// SPDX-License-Identifier: MIT
// Somebody saved a version while a draft that was begun before went on: who, why, and the merge of both.

import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { ErrorBox } from '../../components/error-box.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Notice } from '../../components/notice.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { Config } from '../../lib/api-types.ts'
import { mergeVersionsMutation, versionQuery } from './api.ts'
import type { DraftHandle } from './use-draft.ts'

type Props = { config: Config; draft: DraftHandle }

export function NewerVersionNotice({ config, draft }: Props) {
  const { latestVersion } = config
  const { baseVersion } = draft
  const isBehind = latestVersion !== null && baseVersion !== null && baseVersion < latestVersion
  // Two choices at once are one too many; and what stands in marks is no text to merge into.
  const isBusy = draft.save.kind === 'conflict' || draft.unresolved.length > 0
  if (!isBehind || isBusy) return null
  return <Newer config={config.name} latest={latestVersion} base={baseVersion} draft={draft} />
}

type NewerProps = { config: string; latest: number; base: number; draft: DraftHandle }

function Newer({ config, latest, base, draft }: NewerProps) {
  const version = useQuery(versionQuery(config, latest))
  const merging = useMutation({
    ...mergeVersionsMutation,
    onSuccess: (merged, order) => {
      // What was typed meanwhile is in no merge yet.
      if (order.text !== draft.text) merging.mutate({ ...order, text: draft.text })
      else draft.mergedWith(merged.text, merged.version)
    },
  })
  const { data } = version
  return (
    <div className="stack-tight">
      <Notice
        tone="warn"
        live
        title={t('{author} saved v{latest} after this draft was begun on v{base}', {
          author: data?.author ?? t('Somebody'),
          latest,
          base,
        })}
        action={
          <div className="row">
            <Button
              size="xs"
              loading={merging.isPending}
              onClick={() => merging.mutate({ name: config, text: draft.text, baseVersion: base })}
            >
              {t('Merge v{latest} into the draft', { latest })}
            </Button>
            <ButtonLink
              size="xs"
              variant="default"
              to="/configs/$name/compare"
              params={{ name: config }}
              search={{ from: base, to: latest }}
            >
              {t('See what v{latest} changed', { latest })}
            </ButtonLink>
          </div>
        }
      >
        {data !== undefined && (
          <>
            “{data.message}
            {'”, '}
            <TimeAgo at={data.createdAt} />.{' '}
          </>
        )}
        {t(
          'What it changed is not in your text. Merging takes it over line by line; lines that both changed are shown for you to choose.',
        )}
      </Notice>
      {merging.isError && <ErrorBox what={t('The two were not merged')} error={merging.error} />}
    </div>
  )
}
