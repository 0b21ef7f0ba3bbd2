// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import type { Rollout, Session } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'
import { saveFile } from '../../lib/save-file.ts'
import { MOST_NAMED, namedTasksQuery, timelineQuery } from './api.ts'
import { reportHtml } from './report.ts'

/** Saves what there is of it as one file that needs neither the console nor a network. */
export function ReportButton({ rollout, session }: { rollout: Rollout; session: Session }) {
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: async () => {
      const tasks = await client.fetchQuery(namedTasksQuery(rollout.id, {}))
      const timeline = may(session, 'audit:read')
        ? await client.fetchInfiniteQuery(timelineQuery(rollout.id))
        : null
      const history = timeline && {
        entries: timeline.pages.flatMap(({ items }) => items),
        isCut: timeline.pages.at(-1)?.nextCursor !== null,
      }
      const text = reportHtml({
        rollout,
        tasks: tasks.items.slice(0, MOST_NAMED),
        history,
        madeAt: new Date(),
      })
      const name = `rollout-${rollout.config}-v${rollout.version}.html`
      saveFile(name, new Blob([text], { type: 'text/html;charset=utf-8' }))
    },
  })
  return (
    <div className="stack-tight">
      <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        {t('Save report')}
      </Button>
      {save.isError && <ErrorBox what={t('No report was made')} error={save.error} />}
    </div>
  )
}
